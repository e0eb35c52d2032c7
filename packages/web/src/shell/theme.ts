/** Light or dark: the user's choice, else the system's, also while it changes. */
import { create } from 'zustand';

export type Theme = 'light' | 'dark';

const KEY = 'spool-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

function current(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

export const useTheme = create<{ readonly theme: Theme }>(() => ({ theme: current() }));

function apply(): void {
  const theme = current();
  document.documentElement.dataset['theme'] = theme;
  useTheme.setState({ theme });
}

export function followTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, current() === 'dark' ? 'light' : 'dark');
  apply();
}
