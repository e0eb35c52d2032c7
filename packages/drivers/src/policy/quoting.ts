/** Quotes words for a POSIX shell, and reads such words. Nothing in them is expanded: a text with more than quotes is refused. */

/** Quotes one word so that a shell reads the same text. */
function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./,:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes a list of words as one shell line. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/**
 * Returns the words of a line, with blanks (U+0020) between them; undefined if the line contains anything except words and quotes.
 */
export function unquoteWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line;
  while (rest !== '') {
    let word = '';
    let length = 0;
    for (;;) {
      const piece = rest.slice(length);
      const found = /^([A-Za-z0-9_./,:@%+=-]+)/.exec(piece) ?? /^'([^']*)'/.exec(piece) ?? /^\\(['"$`\\ ])/.exec(piece);
      const double = found ? undefined : /^"((?:[^"\\$`]|\\[\\"$`])*)"/.exec(piece);
      if (found) word += found[1]!;
      else if (double) word += double[1]!.replace(/\\([\\"$`])/g, '$1');
      else break;
      length += (found ?? double)![0].length;
    }
    if (length === 0) return undefined;
    words.push(word);
    rest = rest.slice(length);
    if (rest !== '' && !rest.startsWith(' ')) return undefined;
    rest = rest.replace(/^ +/, '');
  }
  return words;
}

/** Returns the script of `/bin/bash -lc SCRIPT`, if these words are nothing else: Codex wraps every command in it. */
export function loginShellScript(words: readonly string[]): string | undefined {
  const [shell = '', flag, script] = words;
  const isShell = /^(\/(usr\/)?bin\/)?(ba|z)?sh$/.test(shell);
  return words.length === 3 && isShell && (flag === '-lc' || flag === '-c') ? script : undefined;
}
