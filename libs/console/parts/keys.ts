import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { shared } from '../api/shared';
import { isModalOpen } from './modals';
import { areSingleKeysOn } from './single-keys';
import { APP_PLACES, PLACES } from './places';

/** What the keys open: the palette, or the list of keys. */
const shown = shared<'palette' | 'help' | undefined>(undefined);

export const show = shown.set;
export const useShown = (): ReturnType<typeof shown.get> => shown.use();

/** The app of the address. */
export const appIn = (location: string): number | undefined => {
  const [, id] = /^\/apps\/(\d+)(?:\/|$)/.exec(location) ?? [];
  return id === undefined ? undefined : Number(id);
};

/** The second key after `g` comes within this time. */
const SEQUENCE_MS = 1_500;

/** A person types in it, or it has keys of its own. */
const TAKES_KEYS = 'input, select, textarea, [contenteditable], [role="menu"], [role="listbox"]';

/** Handles the keys of the console, except while a dialog is open, and single ones except in fields. */
export function useKeys(): void {
  const [location, go] = useLocation();
  useEffect(() => {
    let goPressedAt = -Infinity;
    const app = appIn(location);
    const goTo = (key: string): void => {
      const place = PLACES.find((each) => each.key === key)?.to;
      const ofApp = APP_PLACES.find((each) => 'key' in each && each.key === key)?.to;
      if (place !== undefined) go(place);
      else if (ofApp !== undefined && app !== undefined) go(`/apps/${app}${ofApp}`);
    };
    const find = (): void => {
      const field = document.querySelector<HTMLElement>('main input[type="search"]');
      if (field === null) show('palette');
      else field.focus();
    };
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
      if (event.defaultPrevented || event.isComposing || isModalOpen()) return;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        show('palette');
        return;
      }
      // The palette may still be loading.
      if (shown.get() !== undefined) return;
      if (ctrlKey || metaKey || altKey || event.repeat || !areSingleKeysOn()) return;
      if (target instanceof Element && target.closest(TAKES_KEYS) !== null) return;
      const isSecond = timeStamp - goPressedAt < SEQUENCE_MS;
      goPressedAt = -Infinity;
      if (isSecond) goTo(key);
      else if (key === 'g') goPressedAt = timeStamp;
      else if (key === '?') show('help');
      else if (key === '/') find();
      else if (key === 'u' && app !== undefined) go(`/apps/${app}?do=upload`);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [location, go]);
}
