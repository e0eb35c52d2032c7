/**
 * Finds commands that run another command, for rules that deny: `sudo -u root rm x` is certainly an `rm`. Only the plainest forms
 * are read. Any other form counts as one more command that is not understood, and such a line is never allowed if a rule denies
 * something.
 */

type Words = readonly (string | undefined)[];

export type InnerCommand = { readonly words: Words } | { readonly script: string };

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish']);

/** The short options with a value in the next word, and the number of operands before the command. */
const PREFIXES: Readonly<Record<string, { readonly values: string; readonly operands: number }>> = {
  sudo: { values: 'ug', operands: 0 },
  doas: { values: 'u', operands: 0 },
  env: { values: 'u', operands: 0 },
  nohup: { values: '', operands: 0 },
  setsid: { values: '', operands: 0 },
  nice: { values: 'n', operands: 0 },
  timeout: { values: 'ks', operands: 1 },
  command: { values: '', operands: 0 },
  builtin: { values: '', operands: 0 },
  exec: { values: 'a', operands: 0 },
  xargs: { values: 'ILnP', operands: 0 },
};

/** Returns the command that a command certainly runs, as words or as a text for a shell; undefined if that is not certain. */
export function innerCommand(words: Words): InnerCommand | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const name = baseName(first);
  if (name === 'eval') return joined(rest);
  if (SHELLS.has(name)) {
    const isScript = rest[0] !== undefined && /^-[a-z]*c$/.test(rest[0]);
    return isScript ? joined(rest.slice(1, 2)) : undefined;
  }
  if (name === 'find') {
    const at = rest.findIndex((word) => word !== undefined && /^-(exec|execdir|ok|okdir)$/.test(word));
    return at < 0 ? undefined : { words: rest.slice(at + 1) };
  }
  return Object.hasOwn(PREFIXES, name) ? afterOptions(rest, PREFIXES[name]!) : undefined;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function joined(words: Words): InnerCommand | undefined {
  return words.length === 0 || words.some((word) => word === undefined) ? undefined : { script: words.join(' ') };
}

function afterOptions(words: Words, { values, operands }: (typeof PREFIXES)[string]): InnerCommand | undefined {
  let left = operands;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (/^-[a-zA-Z]$/.test(word) && values.includes(word[1]!)) at++;
    else if (word.startsWith('-')) {
      // A long option may or may not take the next word.
      if (word.startsWith('--') && word !== '--' && !word.includes('=')) return undefined;
    } else if (/^[A-Za-z_]\w*=/.test(word)) continue;
    else if (left > 0) left--;
    else return { words: words.slice(at) };
  }
  return undefined;
}
