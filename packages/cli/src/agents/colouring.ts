/** The colours of styled lines on this terminal. */
import type { ColourMode } from '@spool/render';
import { isTerminal, wantsColour } from '../output/stdio.ts';

export function colouringOf(fd: 1 | 2): ColourMode {
  if (wantsColour(fd)) return 'colours';
  return isTerminal(fd) && process.env.TERM !== 'dumb' ? 'weights' : 'none';
}
