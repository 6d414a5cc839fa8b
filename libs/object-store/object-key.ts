/** Thrown for an invalid key. The message describes a valid one. */
export class InvalidObjectKeyError extends Error {
  constructor(
    readonly key: string,
    reason = 'A key is made of segments of letters, digits, ".", "_" and "-", joined by "/"; no segment is empty, "." or "..", ' +
      'none is longer than 200 characters, and the whole is not longer than 900.',
  ) {
    super(`${JSON.stringify(key)} is not a valid object key. ${reason}`);
    this.name = 'InvalidObjectKeyError';
  }
}

const SEGMENT = /^(?!\.\.?$)[A-Za-z0-9._-]{1,200}$/;

/** Whether the text is a valid segment of a key. */
export function isKeySegment(text: string): boolean {
  return SEGMENT.test(text);
}

/** @throws InvalidObjectKeyError */
export function assertObjectKey(key: string): void {
  if (key.length > 900 || !key.split('/').every(isKeySegment)) throw new InvalidObjectKeyError(key);
}

/**
 * Splits a prefix at its last slash: `bundles/01J` becomes the folder `bundles/` and the name prefix `01J`.
 * @throws InvalidObjectKeyError when no key can start with it
 */
export function splitKeyPrefix(prefix: string): { readonly folder: string; readonly beginning: string } {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const beginning = prefix.slice(folder.length);
  if (folder !== '') assertObjectKey(folder.slice(0, -1));
  if (!/^[A-Za-z0-9._-]{0,200}$/.test(beginning)) throw new InvalidObjectKeyError(prefix);
  return { folder, beginning };
}
