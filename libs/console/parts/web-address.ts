/** Whether text from a third party may become a link. With another scheme, a link could run a script. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
