/**
 * xterm.js set up as the daemon's own model is: the same widths, the same guards, the same scrollback. So a snapshot
 * that was made by one is understood by the other, cell by cell.
 */
import { SCROLLBACK_LINES } from '@spool/protocol';
import { guard, mendAlternate, useWidths, type EngineCore } from '@spool/core/xterm';
import { type ITheme, Terminal } from '@xterm/xterm';

export function newEmulator(options: { readonly fontSize: number; readonly theme: ITheme }): Terminal {
  const terminal = new Terminal({
    allowProposedApi: true,
    cols: 80,
    rows: 24,
    scrollback: SCROLLBACK_LINES,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    fontSize: options.fontSize,
    theme: options.theme,
    cursorBlink: false,
    macOptionIsMeta: true,
    logLevel: 'off',
    linkHandler: null,
  });
  useWidths(terminal);
  guard(coreOf(terminal));
  return terminal;
}

export function resizeTo(terminal: Terminal, cols: number, rows: number): void {
  if (terminal.cols === cols && terminal.rows === rows) return;
  terminal.resize(cols, rows);
  mendAlternate(coreOf(terminal));
}

const coreOf = (terminal: Terminal): EngineCore => (terminal as unknown as { _core: EngineCore })._core;
