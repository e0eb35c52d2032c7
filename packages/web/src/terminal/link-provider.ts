/** Shows the links of the line under the pointer, even if it is wrapped. */
import type { ILink, Terminal } from '@xterm/xterm';
import { findLinks, type FoundLink } from './links.ts';

export function provideLinks(terminal: Terminal, cwd: () => string, onOpen: (link: FoundLink) => void): void {
  terminal.registerLinkProvider({
    provideLinks(row, callback) {
      const line = wholeLine(terminal, row - 1);
      const links = findLinks(line.text, cwd()).map((link): ILink => ({
        text: line.text.slice(link.start, link.end),
        range: { start: line.placeOf(link.start), end: line.placeOf(link.end - 1) },
        activate: () => onOpen(link),
      }));
      callback(links.filter(({ range }) => range.start.y <= row && row <= range.end.y));
    },
  });
}

interface WholeLine {
  readonly text: string;
  /** Returns a place counted from 1, as in xterm. */
  placeOf(index: number): { readonly x: number; readonly y: number };
}

/** Returns the rows of a wrapped line as one text, and the place of each of its characters. */
function wholeLine(terminal: Terminal, row: number): WholeLine {
  const buffer = terminal.buffer.active;
  let first = row;
  while (first > 0 && buffer.getLine(first)?.isWrapped === true) first--;
  let text = '';
  const places: { x: number; y: number }[] = [];
  for (let at = first; at === first || buffer.getLine(at)?.isWrapped === true; at++) {
    const line = buffer.getLine(at);
    if (line === undefined) break;
    for (let x = 0; x < line.length; x++) {
      const cell = line.getCell(x);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const characters = cell.getChars() || ' ';
      for (let unit = 0; unit < characters.length; unit++) places.push({ x: x + 1, y: at + 1 });
      text += characters;
    }
  }
  return { text, placeOf: (index) => places[index] ?? { x: 1, y: first + 1 } };
}
