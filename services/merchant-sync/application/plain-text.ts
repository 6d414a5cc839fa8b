import { compile } from 'html-to-text';

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
  limits: { maxDepth: 100, maxInputLength: 1_000_000 },
});

/** What a reader sees of HTML, entities included; text without either stays as it is. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? convert(html) : html;
}
