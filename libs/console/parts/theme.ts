import { shared } from '../api/shared';

const STORAGE_KEY = 'sluice.theme';

export type Theme = 'system' | 'light' | 'dark';

function readTheme(): Theme {
  const saved = localStorage.getItem(STORAGE_KEY);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

const chosen = shared<Theme>(readTheme());

export const useTheme = (): Theme => chosen.use();

/** Shows the page in a theme, and saves it for later visits. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  document.documentElement.dataset['theme'] = theme;
  chosen.set(theme);
}
