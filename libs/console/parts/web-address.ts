/** Whether text from elsewhere may become a link: with other schemes, a link could run a script. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
