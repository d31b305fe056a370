export type Theme = 'system' | 'light' | 'dark';

const KEY = 'holdfast.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function savedTheme(): Theme {
  try {
    const saved = localStorage.getItem(KEY);
    return THEMES.find(theme => theme === saved) ?? 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme;
  }
}

export function saveTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // holds for this page
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}
