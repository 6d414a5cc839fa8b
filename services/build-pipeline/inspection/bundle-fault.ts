/** A fault in the bundle's content that no retry can fix. The message is for the person who uploaded it. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault';
}

/** Names are bytes that anyone may have chosen: quoted, they are safe to print. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}

export function entryFault(name: string, fault: string): BundleFault {
  return new BundleFault(`The entry ${quoted(name)} ${fault}.`);
}
