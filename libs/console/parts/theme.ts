const KEPT_AS = 'sluice.theme';

export type Theme = 'system' | 'light' | 'dark';

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in a theme, and in the same one the next time. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, theme);
  document.documentElement.dataset['theme'] = theme;
}
