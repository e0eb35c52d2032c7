/** The sixteen colours for the light and the dark theme. The daemon answers colour queries of programs, without these. */
import type { ITheme } from '@xterm/xterm';
import type { Theme } from '../shell/theme.ts';

/** The minimum contrast of WCAG AA for text. */
const CONTRAST_RATIO_MIN = 4.5;

/**
 * Returns the minimum contrast. Programs draw black on green and white on yellow for a dark terminal; in the light theme the
 * contrast makes such text readable.
 */
export const contrastOf = (theme: Theme): number => (theme === 'light' ? CONTRAST_RATIO_MIN : 1);

export const TERMINAL_THEMES: Readonly<Record<Theme, ITheme>> = {
  dark: {
    background: '#0e0d0b',
    foreground: '#e6e0d2',
    cursor: '#ff7f62',
    cursorAccent: '#0e0d0b',
    selectionBackground: '#4a4437',
    black: '#1d1b17',
    red: '#f0705a',
    green: '#9cc069',
    yellow: '#dfb35a',
    blue: '#7fa6e8',
    magenta: '#d091d0',
    cyan: '#63c5b5',
    white: '#d8d1c2',
    brightBlack: '#7d7666',
    brightRed: '#ff9a85',
    brightGreen: '#b9d98c',
    brightYellow: '#f2cd80',
    brightBlue: '#a8c4f5',
    brightMagenta: '#e5b2e5',
    brightCyan: '#8de0d1',
    brightWhite: '#fffaf0',
  },
  light: {
    background: '#fffdf8',
    foreground: '#1f1c17',
    cursor: '#b8371c',
    cursorAccent: '#fffdf8',
    selectionBackground: '#e0d6bf',
    black: '#1f1c17',
    red: '#b02a17',
    green: '#3f6b1e',
    yellow: '#8a5a00',
    blue: '#2450a8',
    magenta: '#8a2f87',
    cyan: '#0d6a62',
    white: '#cfc7b6',
    brightBlack: '#6a6455',
    brightRed: '#cf4530',
    brightGreen: '#55852e',
    brightYellow: '#a37114',
    brightBlue: '#3a69c8',
    brightMagenta: '#a848a4',
    brightCyan: '#15857b',
    brightWhite: '#8d8676',
  },
};
