/**
 * Finds the last line that a program has printed above its input box; the text in and below the box (hints, a status bar, a draft)
 * is always there.
 */
import { meaningfulLines } from '@spool/client/node';

/** The number of rows in which an input box and the text below it fit. */
const BOX_ROWS_MAX = 16;
/** Matches the edge of a box: `────`, `╭──────╮`, `▀▀▀▀`. */
const EDGE = /^\s*[╭┌┏╰└┗├]?[─━═▀▄▁▔]{8,}/;
/** Matches the start of an input line: `❯`, `│ >`, `› `; also as placeholder. */
const PROMPT = /^\s*[│┃|]?\s*[❯>›!]( |$)/;
/** Matches a box without edges, with a bar at its left: `┃  Ask anything`. */
const BAR = /^\s*┃/;

export function lastLineOf(text: string): string {
  const lines = text.split('\n');
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  const said = meaningfulLines(lines.slice(0, inputTop(lines)));
  const last = said.at(-1) ?? meaningfulLines(lines).at(-1) ?? '';
  // Collapses blanks: programs write at both ends of a line, and a column would show only the gap.
  return last.trim().replace(/\s{3,}/g, '  ');
}

/** Returns the first row of the input box; the number of lines if there is none. */
function inputTop(lines: readonly string[]): number {
  const first = Math.max(0, lines.length - BOX_ROWS_MAX);
  const prompt = lines.findLastIndex((line, at) => at >= first && PROMPT.test(line));
  if (prompt !== -1) {
    const edge = lines.findLastIndex((line, at) => at >= first && at < prompt && EDGE.test(line));
    const isBelow = lines.some((line, at) => at > prompt && EDGE.test(line));
    if (edge !== -1 && isBelow) return edge;
    // Without a box, only a sign that is not used in text counts; a shell's last line is its prompt.
    return /^\s*[❯›]/.test(lines[prompt]!) && prompt >= lines.length - 6 ? prompt : lines.length;
  }
  let bar = lines.findLastIndex((line, at) => at >= first && BAR.test(line));
  while (bar > 0 && BAR.test(lines[bar - 1]!)) bar--;
  return bar > 0 ? bar : lines.length;
}
