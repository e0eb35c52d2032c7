/** The theme, light or dark: the user's choice, otherwise the system's, even if it changes. */
import { create } from 'zustand';

export type Theme = 'light' | 'dark';

const KEY = 'spool-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export const THEME_CHOICES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEME_CHOICES)[number];

interface ThemeState {
  readonly theme: Theme;
  readonly choice: ThemeChoice;
}

function current(): ThemeState {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') return { theme: chosen, choice: chosen };
  return { theme: system.matches ? 'dark' : 'light', choice: 'system' };
}

export const useTheme = create<ThemeState>(current);

function apply(): void {
  const now = current();
  document.documentElement.dataset['theme'] = now.theme;
  useTheme.setState(now);
}

export function followTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  apply();
}

export const toggleTheme = (): void => chooseTheme(current().theme === 'dark' ? 'light' : 'dark');
