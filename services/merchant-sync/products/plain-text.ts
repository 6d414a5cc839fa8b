import { compile } from 'html-to-text';
import { LRUCache } from 'lru-cache';

/** Of characters; what a text has beyond takes long to read, and is cut off its description anyway. */
const MAX_HTML = 200_000;

const convert = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'style', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
  ],
  limits: { maxDepth: 100 },
});

/** Texts that come again: those of a product in its variations, brands and categories everywhere. */
const converted = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 2_000_000,
  sizeCalculation: (text, html) => text.length + html.length,
});

/** What a reader sees of HTML, entities included; text without either stays as it is. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html;
  const known = converted.get(html);
  if (known !== undefined) return known;
  const text = convert(html.slice(0, MAX_HTML));
  converted.set(html, text);
  return text;
}
