import type { KeyboardEvent } from 'react';

/** The item that a key moves the focus to, from the one at `at`; -1: from none. */
const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at <= 0 ? count : at) - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export const opensMenu = ({ key }: KeyboardEvent): boolean => /^ArrowDown$/.test(key);

/** The option of a listbox that an arrow chooses; undefined: another key. */
export const chosenByArrow = (key: string, at: number, count: number): number | undefined =>
  /^Arrow/.test(key) ? MOVES[key]?.(at, count) : undefined;

/** Arrows, Home, End and first letters move the focus in an open menu. Escape and Tab close it. */
export function pressInMenu(event: KeyboardEvent, items: readonly HTMLElement[], close: () => void): void {
  const { key } = event;
  if (/^Tab$/.test(key)) {
    // The focus continues from the button.
    close();
    return;
  }
  const at = items.findIndex((each) => each === document.activeElement);
  const next = MOVES[key]?.(at, items.length) ?? startingWith(event, items, at);
  if (/^Escape$/.test(key)) close();
  else if (/^(Enter| )$/.test(key)) items[at]?.click();
  else if (next !== undefined) items[next]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The next item that starts with a letter. */
function startingWith({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, items: readonly HTMLElement[], at: number) {
  if (key.length !== 1 || ctrlKey || metaKey || altKey) return undefined;
  const order = items.map((_, index) => (at + 1 + index) % items.length);
  return order.find((index) => items[index]?.innerText.toLowerCase().startsWith(key.toLowerCase()));
}
