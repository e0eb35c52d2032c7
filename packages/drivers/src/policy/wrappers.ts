/** Commands that run another command: what they run is looked at too. */

type Words = readonly (string | undefined)[];

export type Inner =
  | { readonly words: Words; readonly doubt?: string }
  | { readonly script: string | undefined; readonly doubt?: string };

const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'busybox',
  'fish',
  'rbash',
]);

/** Options of each that take a value, as the next word. */
const PREFIXES: Readonly<Record<string, { readonly values: string; readonly operands?: number }>> = {
  sudo: { values: 'ugphCTrtRDU' },
  doas: { values: 'uC' },
  env: { values: 'uCS' },
  nohup: { values: '' },
  setsid: { values: '' },
  time: { values: 'fo' },
  nice: { values: 'n' },
  ionice: { values: 'cnpPu' },
  chrt: { values: 'TPD', operands: 1 },
  taskset: { values: '', operands: 1 },
  timeout: { values: 'ks', operands: 1 },
  stdbuf: { values: 'ioe' },
  unbuffer: { values: '' },
  command: { values: '' },
  builtin: { values: '' },
  exec: { values: 'a' },
  xargs: { values: 'adEeIiLlnPs' },
  parallel: { values: 'jJNnaSI' },
  strace: { values: 'eopsaEuPSOIX' },
  ltrace: { values: 'eopsanuFlx' },
  gdb: { values: '' },
  watch: { values: 'n' },
  entr: { values: '' },
  flock: { values: 'wE', operands: 1 },
  unshare: { values: '' },
  nsenter: { values: 'tSG' },
  chroot: { values: '', operands: 1 },
  runuser: { values: 'ug' },
  systemd: { values: '' },
  'systemd-run': { values: 'pEtMuH' },
  script: { values: 'cEoTBIOm' },
  proxychains: { values: 'f' },
  firejail: { values: '' },
  bwrap: { values: '' },
  caffeinate: { values: 'twi' },
  npx: { values: 'pc' },
  bunx: { values: '' },
  pnpx: { values: '' },
  uvx: { values: '' },
  direnv: { values: '', operands: 1 },
  dotenv: { values: 'ef' },
};

const EXPLICIT = /^-(exec|execdir|ok|okdir)$/;

/** What a command runs, as words or as a text for a shell; undefined if it runs nothing else. */
export function innerCommand(words: Words): Inner | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return { script: undefined, doubt: 'has a command whose name is not known' };
  const name = baseName(first);
  if (name === 'eval' || name === '.' || name === 'source') {
    if (name !== 'eval') return { script: undefined, doubt: 'reads commands from a file' };
    return joined(rest);
  }
  if (name === 'trap') return rest.length > 1 ? joined(rest.slice(0, 1)) : undefined;
  if (SHELLS.has(name)) return shellScript(rest);
  if (name === 'find' || name === 'gfind') return executed(rest, (word) => EXPLICIT.test(word));
  if (name === 'fd' || name === 'fdfind') return executed(rest, (word) => /^(-x|-X|--exec|--exec-batch)$/.test(word));
  if (name === 'su' || name === 'script' || name === 'runuser' || name === 'flock' || name === 'npx') {
    const at = rest.findIndex((word) => word === '-c' || word === '--command' || word === '--call');
    if (at >= 0) return joined(rest.slice(at + 1, at + 2));
  }
  if (name === 'env') {
    if (rest.some((word) => word !== undefined && /^-(\w*S|-s)/.test(word)))
      return { script: undefined, doubt: 'splits a text into a command' };
  }
  if (name === 'ssh') return { script: undefined, doubt: 'runs a command on another machine' };
  if (!Object.hasOwn(PREFIXES, name)) return undefined;
  const inner = afterOptions(rest, PREFIXES[name]!);
  if (!('words' in inner) || inner.words.length === 0) return inner.doubt === undefined ? undefined : inner;
  // These hand their words to a shell, or add words that nobody knows.
  if (name === 'watch' || name === 'entr') return joined(inner.words);
  return name === 'xargs' || name === 'parallel' ? { words: [...inner.words, undefined] } : inner;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function joined(words: Words): Inner {
  if (words.some((word) => word === undefined)) return { script: undefined, doubt: 'runs a text that is not known' };
  return { script: words.join(' ') };
}

function shellScript(words: Words): Inner {
  // `-c`, also joined with other letters: -lc, -ec.
  const at = words.findIndex((word) => word !== undefined && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
  if (at < 0) return { script: undefined, doubt: 'starts a shell' };
  return joined(words.slice(at + 1, at + 2));
}

/** The commands after `-exec`, up to `;` or `+`. Several are joined as one list. */
function executed(words: Words, isFlag: (word: string) => boolean): Inner | undefined {
  const at = words.findIndex((word) => word !== undefined && isFlag(word));
  if (at < 0) return undefined;
  const end = words.findIndex((word, index) => index > at && (word === ';' || word === '+'));
  const inner = words.slice(at + 1, end < 0 ? undefined : end);
  const others = end < 0 ? undefined : executed(words.slice(end + 1), isFlag);
  // The names of the files found are further words that nobody knows.
  return { words: [...inner, undefined], doubt: others ? 'runs several commands on files' : 'runs a command on files' };
}

function afterOptions(
  words: Words,
  { values, operands = 0 }: { readonly values: string; readonly operands?: number },
): Inner {
  let at = 0;
  let left = operands;
  let doubt: string | undefined;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return { script: undefined, doubt: 'runs a command that is not known' };
    if (word === '--') continue;
    if (/^-\w$/.test(word) && values.includes(word[1]!)) at++;
    else if (word.startsWith('-') && word.length > 1) continue;
    else if (/^[A-Za-z_]\w*\+?=/.test(word)) doubt = 'sets a variable';
    else if (left > 0) left--;
    else break;
  }
  return { words: words.slice(at), ...(doubt === undefined ? {} : { doubt }) };
}
