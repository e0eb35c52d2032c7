/**
 * Finds what can be opened in a line of a terminal: web addresses, and files of the session's folder (`src/a.ts:12`). Nothing
 * opens by itself, and only http and https leave the page. Keeps PAGE-11.
 */

export type FoundLink =
  | { readonly type: 'url'; readonly start: number; readonly end: number; readonly url: string }
  | {
      readonly type: 'file';
      readonly start: number;
      readonly end: number;
      readonly path: string;
      readonly line: number | undefined;
    };

const URL_TEXT = /\bhttps?:\/\/[^\s"'<>`{}|\\^\u0000-\u001f]+/g;
/** A path with a line number, or with a slash and an extension: a bare word is seldom a file. */
const FILE_TEXT =
  /(?<![\w/.:@~-])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\w\.\w{1,8}):(\d{1,7})(?::\d{1,5})?|(?<![\w/.:@~-])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@.+-]*\w\.\w{1,8})(?![\w/])/g;

export function findLinks(text: string, cwd: string): readonly FoundLink[] {
  const found: FoundLink[] = [];
  for (const match of text.matchAll(URL_TEXT)) {
    const url = withoutTail(match[0]);
    if (webAddress(url) !== null) found.push({ type: 'url', start: match.index, end: match.index + url.length, url });
  }
  for (const match of text.matchAll(FILE_TEXT)) {
    const [whole, numbered, line, plain] = match;
    const [start, end] = [match.index, match.index + whole.length];
    if (found.some((link) => start < link.end && link.start < end)) continue;
    const path = withinFolder((numbered ?? plain)!, cwd);
    if (path !== null)
      found.push({ type: 'file', start, end, path, line: line === undefined ? undefined : Number(line) });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Returns the address if it may be opened, also for a link that a program names (OSC 8). */
export function webAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null; // not an address
  }
}

/** Removes punctuation at the end of a sentence, and a bracket that was opened before the address. */
function withoutTail(text: string): string {
  let end = text.replace(/[.,;:!?]+$/, '');
  while (/[)\]]$/.test(end)) {
    const [open, close] = end.endsWith(')') ? ['(', ')'] : ['[', ']'];
    if (end.split(open).length >= end.split(close).length) break;
    end = end.slice(0, -1).replace(/[.,;:!?]+$/, '');
  }
  return end;
}

/** Returns a path relative to the folder of the session; null for a path outside. */
function withinFolder(path: string, cwd: string): string | null {
  let relative = path;
  if (path.startsWith('/')) {
    if (!path.startsWith(`${cwd}/`)) return null;
    relative = path.slice(cwd.length + 1);
  }
  const names = relative.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === 0 || names.includes('..') ? null : names.join('/');
}
