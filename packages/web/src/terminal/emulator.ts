/**
 * xterm.js with the same set-up as the daemon's own model: the same widths, the same guards, the same scrollback. Therefore each
 * interprets a snapshot of the other in the same way, cell by cell.
 */
import { SCROLLBACK_LINES } from '@spool/protocol';
import { guard, mendAlternate, useWidths, type EngineCore } from '@spool/screen/xterm';
import { Terminal } from '@xterm/xterm';
import type { Theme } from '../shell/theme.ts';
import { contrastOf, TERMINAL_THEMES } from './themes.ts';

export interface EmulatorOptions {
  readonly fontSize: number;
  readonly theme: Theme;
  /** Called when the user chose a link that the program names (OSC 8). */
  readonly onLink?: (address: string) => void;
}

export function newEmulator(options: EmulatorOptions): Terminal {
  const { onLink } = options;
  const terminal = new Terminal({
    allowProposedApi: true,
    cols: 80,
    rows: 24,
    scrollback: SCROLLBACK_LINES,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    fontSize: options.fontSize,
    theme: TERMINAL_THEMES[options.theme],
    cursorBlink: false,
    macOptionIsMeta: true,
    minimumContrastRatio: contrastOf(options.theme),
    logLevel: 'off',
    linkHandler: onLink === undefined ? null : { activate: (_event, address) => onLink(address) },
  });
  useWidths(terminal);
  guard(coreOf(terminal));
  return terminal;
}

export function setTheme(terminal: Terminal, theme: Theme): void {
  terminal.options.theme = TERMINAL_THEMES[theme];
  terminal.options.minimumContrastRatio = contrastOf(theme);
}

export function resizeTo(terminal: Terminal, cols: number, rows: number): void {
  if (terminal.cols === cols && terminal.rows === rows) return;
  terminal.resize(cols, rows);
  mendAlternate(coreOf(terminal));
}

/** Returns whether the program has hidden its cursor: its place then means nothing to a user. */
export const hidesCursor = (terminal: Terminal): boolean => coreOf(terminal).coreService.isCursorHidden;

const coreOf = (terminal: Terminal): EngineCore => (terminal as unknown as { _core: EngineCore })._core;
