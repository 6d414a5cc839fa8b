import { attachment } from './attachment';

it.each([
  ['release.zip', 'attachment; filename="release.zip"'],
  ['my key (1).zip', 'attachment; filename="my key (1).zip"'],
  ['schlüssel.zip', `attachment; filename="schl_ssel.zip"; filename*=UTF-8''schl%C3%BCssel.zip`],
  ['🔑.zip', `attachment; filename="_.zip"; filename*=UTF-8''%F0%9F%94%91.zip`],
  ['50%"\\.zip', `attachment; filename="50___.zip"; filename*=UTF-8''50%25%22%5C.zip`],
  ["ü'(*).zip", `attachment; filename="_'(*).zip"; filename*=UTF-8''%C3%BC%27%28%2A%29.zip`],
  ['a\r\nSet-Cookie: x', `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`],
  ['\ud83d.zip', `attachment; filename="_.zip"; filename*=UTF-8''%EF%BF%BD.zip`],
])('sends the name %j', (name, header) => {
  expect(attachment(name)).toBe(header);
});
