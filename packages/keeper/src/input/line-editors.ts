/**
 * Tells programs that edit their input line themselves, in raw mode, and end when the end-of-file key comes in an empty line.
 *
 * A shell or an interpreter that runs a script is none: the script may draw a screen, or wait for any key to delete something.
 * Keeps IN-20.
 */
const INTERPRETERS = /^-?(ba|z|fi|k|mk|pdk|da|a|tc|c|)sh$|^python[\d.]*$|^lua[\d.]*$/;
const OTHERS = /^(ipython[\d.]*|irb|pry|psql|mysql|sqlite3|gdb)$/;
/** Flags whose value is the next word. */
const TAKES_VALUE = /^(--rcfile|--init-file|[-+][oOWX])$/;

/** `name` is that of the process; `words` are its command line. */
export function isLineEditor(name: string, words: readonly string[]): boolean {
  return OTHERS.test(name) || (INTERPRETERS.test(name) && !runsScript(words.slice(1)));
}

function runsScript(words: readonly string[]): boolean {
  const script = words.findIndex((word, at) => !/^[-+]/.test(word) && !TAKES_VALUE.test(words[at - 1] ?? ''));
  return script !== -1 && !words.slice(0, script).includes('-i');
}
