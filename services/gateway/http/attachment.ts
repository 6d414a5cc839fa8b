/**
 * The Content-Disposition of a file to be saved under this name (RFC 6266): as it is, and for clients
 * that know no other, in ASCII with `_` for whatever is none or could mislead.
 */
export function attachment(name: string): string {
  const plain = name.replace(/[^ -~]|["\\%]/gu, '_');
  if (plain === name) return `attachment; filename="${name}"`;
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}

/** RFC 5987, 3.2.1: percent-encoded UTF-8. */
function extended(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
