/**
 * Makes shell lines of all sorts from a seed: harmless ones with the options of the grammars, the same with options of the programs that
 * the grammars leave out, and lines that were damaged or joined with what must never run.
 */
import { GIT } from '../grammar/git.ts';
import { OPTION } from '../grammar/grammar.ts';
import { PROGRAMS } from '../grammar/programs.ts';
import type { Policy } from '../policy.ts';

/** Every program that has a grammar, with any arguments that the grammar knows. */
export const EVERYTHING_KNOWN: Policy = {
  rules: [...Object.keys(PROGRAMS), 'git'].map(
    (name) => ({ decision: 'allow', tool: 'Bash', command: `${name} *` }) as const,
  ),
};

/** Options that write, run or wait, of the programs above, and some that do not exist. */
const OTHER_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  sort: [
    '-o',
    '-of',
    '--output=f',
    '--outp=f',
    '-T',
    '--compress-program=touch',
    '--comp=touch',
    '--files0-from=a',
    '-uo',
  ],
  uniq: ['out', '-x'],
  find: ['-delete', '-exec', '-execdir', '-ok', '-fprint', '-fprintf', '-fls', '-files0-from', '-dele'],
  date: ['-s', '--set=1', '--se=1', '0101', '-us'],
  file: ['-z', '-C', '-m', '-Z', '-bz', '--compile', '--magic-file=a'],
  diff: ['-l', '--paginate', '--pag', '-ul'],
  tail: ['-f', '-F', '--follow', '--pid=1', '-5f'],
  grep: ['--x', '--recurs'],
  rg: ['--pre=touch', '--pre', '-z', '--search-zip', '--hostname-bin=touch', '-nz'],
  printf: ['-v', '%d', '%n', '%i', '%x'],
  df: ['--sync'],
  ls: ['-D', '--dired', '--colo'],
  git: [
    '-c',
    '-C',
    '--exec-path=.',
    '-p',
    '--git-dir=.',
    '--output=f',
    '--ext-diff',
    '--textconv',
    '--show-signature',
    '-Of',
    'x',
    '--no-index',
  ],
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  TEXT: ['a', "'a b'", '"a.*b"', "'*.txt'", ',', '.', "'%s'", 'x=y', "''", "'[ab]'", '%h', '0'],
  NUM: ['1', '3', '+2', '10', '0'],
  WORD: ['auto', 'never', '1,2', 'short', 'f', 'name', 'iso', 'C', 'n', 'no', 'all'],
  PATH: [
    'a.txt',
    'b.txt',
    'src',
    '.',
    './src/c.txt',
    "'d e.txt'",
    'missing',
    '..',
    '/etc/hostname',
    'src/../a.txt',
    '-',
  ],
  ARG: ['a', 'a.txt', 'src', "'a|b'", '.', 'needle', '"two words"'],
  REV: ['HEAD', 'HEAD~1', 'main', 'a.txt', 'src', 'main..HEAD', 'missing'],
  FORMAT: ["'%s\\n'", "'%s'", 'text', "'%5s|%-3s'", "'100%%'"],
  GITFORMAT: ["'%h %s'", 'oneline', "'format:%an %ad'", "'%H%n%B'", 'short', '%h'],
  TIME: ['now', "'2 days ago'", '2026-01-01', '@0', 'yesterday'],
  DATE: ['+%s', "'+%Y-%m-%d'", '+%F'],
};

/** Values beside those that a grammar lists. */
const OTHER_WORDS = ['read', 'signature', 'signature:key', 'describe', 'auto', 'x'];

const HOSTILE_PIECES = [
  '; touch made',
  '&& touch made',
  '| tee made',
  '> made',
  '>> made',
  '2> made',
  '$(touch made)',
  '`touch made`',
  '$HOME',
  '*',
  '~',
  '& touch made',
  '\n touch made',
  '| sh',
  '| xargs touch',
  '<(touch made)',
  '{a,b}',
  '\\',
  '!',
  '#',
  '"$x"',
  "'",
  '"',
  '${x}',
  '=ls',
  '\u00a0',
  '\u200b',
  '-exec touch made ;',
  "-exec touch made ';'",
  '\t',
  '<<< a',
  '|| touch made',
  '^',
  '\u3164',
  'x=1',
];

const STARTS = [
  'PATH=. ',
  'x=1 ',
  'env ',
  'sudo ',
  'time ',
  'for PATH in .; do ',
  'cd src && ',
  '! ',
  '( ',
  '{ ',
  'exec ',
  'command ',
  'nice ',
  './',
  '/bin/',
  'if ',
  'eval ',
  "bash -c '",
  'xargs ',
  'timeout 1 ',
];

/** Numbers that look random and are the same for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export class LineMaker {
  readonly #random: (below: number) => number;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  next(): string {
    const count = 1 + (this.#random(3) === 0 ? this.#random(3) : 0);
    let line = Array.from({ length: count }, () => this.#command()).reduce(
      (joined, command) => `${joined}${this.#one([' | ', ' && ', ' || ', '; ', '|', ';', ' ; '])}${command}`,
    );
    if (this.#random(4) === 0) line = this.#damage(line);
    return line;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  #command(): string {
    const isGit = this.#random(4) === 0;
    const name = this.#one(Object.keys(isGit ? GIT : PROGRAMS));
    const { options, operands } = (isGit ? GIT : PROGRAMS)[name]!;
    const words: string[] = [];
    const all = options.split(' ').filter(Boolean);
    for (let left = this.#random(4); left > 0 && all.length > 0; left--) words.push(this.#option(this.#one(all)));
    const others = OTHER_OPTIONS[isGit ? 'git' : name];
    if (others && this.#random(5) === 0) words.splice(this.#random(words.length + 1), 0, this.#one(others));
    const given = this.#operands(operands);
    const isExpression = name === 'find' && !isGit;
    const rest = isExpression
      ? [...given, ...words]
      : this.#random(5) === 0
        ? [...given, ...words]
        : [...words, ...given];
    return [...(isGit ? ['git', name] : [name]), ...rest].join(' ');
  }

  #option(spec: string): string {
    const [, name = '', optional, kind, listed] = OPTION.exec(spec)!;
    if (name === '-NUM') return `-${1 + this.#random(20)}`;
    if (kind === undefined && listed === undefined) return name;
    const value = this.#one(listed === undefined ? VALUES[kind!]! : [...listed.split(','), ...OTHER_WORDS]);
    if (optional) return this.#random(2) === 0 ? name : name.startsWith('--') ? `${name}=${value}` : `${name}${value}`;
    if (name.startsWith('--')) return this.#random(2) === 0 ? `${name}=${value}` : `${name} ${value}`;
    return this.#random(2) === 0 && name.length === 2 ? `${name}${value}` : `${name} ${value}`;
  }

  #operands(spec: string): string[] {
    return spec
      .split(' ')
      .filter(Boolean)
      .flatMap((word) => {
        const values = VALUES[word.replace(/[*?]$/, '')]!;
        const count = word.endsWith('*') ? this.#random(3) : word.endsWith('?') ? this.#random(2) : 1;
        return Array.from({ length: count }, () => this.#one(values));
      });
  }

  #damage(line: string): string {
    switch (this.#random(4)) {
      case 0:
        return `${this.#one(STARTS)}${line}`;
      case 1:
        return `${line} ${this.#one(HOSTILE_PIECES)}`;
      case 2: {
        const at = this.#random(line.length + 1);
        return `${line.slice(0, at)}${this.#one(HOSTILE_PIECES)}${line.slice(at)}`;
      }
      default: {
        const at = this.#random(line.length);
        return `${line.slice(0, at)}${line.slice(at + 1)}`;
      }
    }
  }
}
