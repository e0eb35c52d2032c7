/**
 * Caps repeat counts that xterm.js would execute literally: `CSI 2147483647 S` would take hours, at 4 µs each, and `CSI
 * 2147483647 b` 8 GB. It also prevents an exception: erasing up to the very last cell of a screen without scrollback throws.
 *
 * A page that runs xterm itself needs the same guards. None of them changes a picture, except for repeats that fill more than the
 * screen; these are handled as in the xterm program.
 */
import type { EngineCore, EngineParams } from './engine.ts';

export function guard(core: EngineCore): void {
  const limit = (final: string, most: () => number): void =>
    core.registerCsiHandler({ final }, (params) => {
      if (params.params[0]! > most()) params.params[0] = most();
      return GO_ON;
    });
  for (const final of 'LMST') limit(final, () => core.rows);
  for (const final of 'IZ') limit(final, () => core.cols);
  limit('b', () => core.cols * core.rows);
  core.registerCsiHandler({ final: 'J' }, (params) => eraseAbove(core, params, false));
  core.registerCsiHandler({ final: 'J', prefix: '?' }, (params) => eraseAbove(core, params, true));
}

/**
 * Resizes the alternate screen; must be called after every change of size. xterm does not resize an unused alternate screen to a
 * smaller terminal: entered again, it has a scrollback, then one line in two places or none at all, and throws.
 */
export function mendAlternate({ buffers: { alt }, rows }: EngineCore): void {
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
}

/** The result of a handler after which xterm's own handler runs. */
const GO_ON = false;
const DONE = true;

/** Handles `CSI 1 J` in the last cell: xterm then accesses the line below the last one, which does not exist. */
function eraseAbove(core: EngineCore, params: EngineParams, keepsProtected: boolean): boolean {
  const { x, y, lines } = core.buffers.active;
  if (params.params[0] !== 1 || x + 1 < core.cols || lines.get(y + 1) !== undefined) return GO_ON;
  core._inputHandler._eraseInBufferLine(y, 0, core.cols, true, keepsProtected);
  for (let row = 0; row < y; row++) core._inputHandler._resetBufferLine(row, keepsProtected);
  return DONE;
}
