/**
 * Decides whether a command line of Codex can run with a separate server (`codex --remote`), and which of its arguments the server
 * needs too. It is pure. Keeps the command-line part of RUN-47.
 *
 * The lists name the options whose requests were compared with those of a plain Codex, one by one (decision 170). Everything else
 * runs as typed: a subcommand, an option that `--remote` refuses (`--add-dir`, `--worktree`), and an unknown option.
 */

/** The options without a value. */
const SWITCHES: ReadonlySet<string> = new Set([
  '--search',
  '--no-alt-screen',
  '--approve-for-me',
  '--dangerously-bypass-approvals-and-sandbox',
]);

/** The options with one value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-m',
  '--model',
  '-s',
  '--sandbox',
  '-a',
  '--ask-for-approval',
  '-C',
  '--cd',
]);

/** The settings of the process that runs the turns, which the server gets too. */
const FOR_SERVER: ReadonlySet<string> = new Set(['-c', '--config', '--enable', '--disable']);

/** Matches a word that may be the name of a subcommand, in this version or in a wrapper. */
const ONE_WORD = /^[a-z][a-z0-9-]*$/;

export type CodexArguments = { readonly forServer: readonly string[] } | { readonly why: string };

/** Reads the words after the program. */
export function readCodexArguments(words: readonly string[]): CodexArguments {
  const forServer: string[] = [];
  let prompts = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      prompts += words.length - at - 1;
      break;
    }
    if (!word.startsWith('-')) {
      if (ONE_WORD.test(word)) return { why: `\`${word}\` may be a subcommand of codex` };
      prompts++;
      continue;
    }
    const [name = '', joined] = splitOption(word);
    if (SWITCHES.has(word)) continue;
    if (!WITH_VALUE.has(name) && !FOR_SERVER.has(name))
      return { why: `\`${name}\` is not known to work with a server of its own` };
    const value = joined ?? words[++at];
    if (value === undefined) return { why: `\`${name}\` has no value` };
    if (FOR_SERVER.has(name)) forServer.push(name, value);
  }
  return prompts > 1 ? { why: 'it has more than one prompt' } : { forServer };
}

/** Splits `--model=x` into name and value. `-mx` is not split: such an option counts as unknown. */
function splitOption(word: string): readonly [name: string, value?: string] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
