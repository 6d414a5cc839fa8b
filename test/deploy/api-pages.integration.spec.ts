import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { API_PAGES } from './api-pages';

it.each(API_PAGES.map(({ path, text }) => [basename(path), path, text]))(
  'describes the API in docs/api/%s as the code does (else: npm run docs:api)',
  (_, path, text) => {
    // Prettier pads tables, and escapes fewer characters.
    const plain = (markdown: string) => markdown.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---').replaceAll('\\', '');
    expect(plain(readFileSync(path, 'utf8')).trim()).toBe(plain(text).trim());
  },
);
