/**
 * Selects the informative lines of a program's output: no blank lines, no frames and rules, no spinners and unfinished
 * progress bars, and no repeats.
 */

/** The maximum length: a longer line is data, not a message. */
const CHARACTERS_MAX = 500;

/** A letter or a digit: a line without one is a rule, a frame, a bare prompt or blank. */
const saysSomething = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** The sides of a box around a text. */
const LEFT_SIDE = /^\s*[│┃║▌▐╎┆┊]+ ?/;
const RIGHT_SIDE = /\s*[│┃║▌▐╎┆┊]+\s*$/;

/** A line that was left unfinished: `⠙ Installing`, `| building`, `45%`, `[====>   ] 45%`. */
const SPINNER = /^\s*(?:[\u2801-\u28ff]\s*\S|[|/\\] [^|/\\]+$)/;
const BAR = /[█▉▊▋▌▍▎▏▓▒░━╸╺■□▪▫]{4,}|\[[=#>.\- ]{6,}\]|[=#]{8,}/;
const PERCENT = /(?:^|\D)(\d{1,3})(?:\.\d+)? ?%/;
const BARE_PERCENT = /^\s*\d{1,3}(?:\.\d+)? ?%\s*$/;

/** Returns the lines, oldest first. Of a repeated line, the last occurrence is kept. */
export function meaningfulLines(lines: readonly string[]): string[] {
  const kept = new Map<string, string>();
  for (const raw of lines) {
    const line = raw.slice(0, CHARACTERS_MAX).replace(LEFT_SIDE, '').replace(RIGHT_SIDE, '').trimEnd();
    if (!saysSomething(line) || isUnderWay(line)) continue;
    const key = line.trim();
    kept.delete(key);
    kept.set(key, line);
  }
  return [...kept.values()];
}

function isUnderWay(line: string): boolean {
  if (SPINNER.test(line) || BARE_PERCENT.test(line)) return true;
  const percent = PERCENT.exec(line)?.[1];
  return percent !== undefined && Number(percent) < 100 && BAR.test(line);
}
