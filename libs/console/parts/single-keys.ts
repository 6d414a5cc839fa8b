import { shared } from '../api/shared';

const STORAGE_KEY = 'sluice.keys';
const OFF = 'off';

const on = shared(localStorage.getItem(STORAGE_KEY) !== OFF);

export const areSingleKeysOn = on.get;
export const useSingleKeysOn = (): boolean => on.use();

/** Saved in the browser. Speech input can press keys by mistake, so a person can turn them off. */
export function setSingleKeysOn(value: boolean): void {
  if (value) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, OFF);
  on.set(value);
}
