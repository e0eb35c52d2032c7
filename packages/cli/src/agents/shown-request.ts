/** Shows a whole request, every line, to the person who is asked to allow it. Keeps REQ-1, SHOW-11. */
import { type RequestEvent } from '@spool/client/node';
import { ansiLine, requestLines } from '@spool/render';
import { isTerminal } from '../output/stdio.ts';
import { colouringOf } from './colouring.ts';

const COLUMNS = 80;

/** Returns the lines of a request for stdout or stderr. */
export function shownRequest(ask: RequestEvent, fd: 1 | 2): string {
  const stream = fd === 1 ? process.stdout : process.stderr;
  const width = isTerminal(fd) ? (stream.columns || COLUMNS) - 1 : Infinity;
  return requestLines(ask, width)
    .map((line) => ansiLine(line, colouringOf(fd)))
    .join('\n');
}
