const HOLDERS = 'section, [role="region"], main';

/**
 * When the focused element is removed from the page, such as the row of a deleted item, moves the focus to its table or
 * section, else to the screen. Ends when the returned function is called.
 */
export function keepFocus(): () => void {
  let last: Node | undefined;
  /** The element of the screen that had the focus last, and its ancestors. */
  let held: readonly HTMLElement[] = [];
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    // A dialog is removed with its elements, so the element that opened it counts.
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
