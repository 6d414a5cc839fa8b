const HOLDERS = 'section, [role="region"], main';

/**
 * When the focused element is removed from the page, such as the row of something deleted, moves the focus
 * to its table or section, else to the screen. Until the returned function is called.
 */
export function keepFocus(): () => void {
  let last: Node | undefined;
  /** What had the focus last on the screen itself, and all that it lies in. */
  let held: readonly HTMLElement[] = [];
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    // What a dialog holds goes with it: what opened the dialog counts.
    if (target.closest('main') === null) return;
    const chain: HTMLElement[] = [];
    for (let each: HTMLElement | null = target; each !== null; each = each.parentElement) chain.push(each);
    held = chain;
  };
  const look = (): void => {
    if (document.activeElement !== document.body || last?.isConnected !== false) return;
    const place = held.find((each, at) => each.isConnected && (at === 0 || each.matches(HOLDERS)));
    if (place === undefined) return;
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', note);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', note);
  };
}
