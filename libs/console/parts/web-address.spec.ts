import { isWebAddress } from './web-address';

it.each(['https://support.example.com/merchants?a=1', 'http://example.com', 'HTTPS://EXAMPLE.COM'])(
  'takes %s for a link',
  (text) => {
    expect(isWebAddress(text)).toBe(true);
  },
);

it.each([
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  '//example.com',
  '/console',
  'example.com',
  '',
])('takes %j for no link', (text) => {
  expect(isWebAddress(text)).toBe(false);
});
