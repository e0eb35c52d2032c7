/**
 * Recognizes programs that edit their input line themselves, in raw mode, and end when the end-of-file key comes in an empty
 * line.
 *
 * A shell or an interpreter that runs a script does not count: the script may draw a screen, or wait for any key to delete
 * something. Keeps IN-45.
 */
const INTERPRETERS = /^-?(ba|z|fi|k|mk|pdk|da|a|tc|c|)sh$|^python[\d.]*$|^lua[\d.]*$/;
const OTHERS = /^(ipython[\d.]*|irb|pry|psql|mysql|sqlite3|gdb)$/;
/** The flags whose value is the next word. */
const TAKES_VALUE = /^(--rcfile|--init-file|[-+][oOWX])$/;

/** Returns whether a process is a line editor, by its name and the words of its command line. */
export function isLineEditor(name: string, words: readonly string[]): boolean {
  return OTHERS.test(name) || (INTERPRETERS.test(name) && !runsScript(words.slice(1)));
}

function runsScript(words: readonly string[]): boolean {
  const script = words.findIndex((word, at) => !/^[-+]/.test(word) && !TAKES_VALUE.test(words[at - 1] ?? ''));
  return script !== -1 && !words.slice(0, script).includes('-i');
}
