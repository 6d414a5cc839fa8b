import { plainText } from './plain-text';

it.each([
  ['Plain text, as it is', 'Plain text, as it is'],
  ['Shirts &amp; tops &#8211; &quot;new&quot; &nbsp;&euro;', 'Shirts & tops – "new" \u00a0€'],
  ['<p>One.</p>\n<p>Two <strong>three</strong>.</p>', 'One.\n\nTwo three.'],
  ['a<br>b', 'a\nb'],
  ['<ul><li>one</li><li>two</li></ul>', '- one\n- two'],
  ['<a href="https://shop.example/">here</a><img src="x.jpg" alt="pic">', 'here'],
  ['<h2>Care</h2><script>alert(1)</script><style>p{}</style><!-- no -->text', 'Care\n\ntext'],
  ['5 < 6 & 7', '5 < 6 & 7'],
  ['&lt;b&gt;', '<b>'],
  ['<p>never closed', 'never closed'],
])('reads %j as %j', (html, text) => {
  expect(plainText(html).trim()).toBe(text.trim());
});

it('reads the same text the same again, and of a text without end only its beginning', () => {
  const html = '<p>One &amp; the same.</p>';
  expect([plainText(html), plainText(html)]).toEqual(['One & the same.', 'One & the same.']);
  // 200,000 characters, the mark that opens the paragraph among them.
  expect(plainText(`<p>${'word '.repeat(100_000)}</p>`)).toBe(`${'word '.repeat(39_999)}wo`);
});
