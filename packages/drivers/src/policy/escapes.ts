/**
 * Options with which a harmless command runs another one, or writes files. A rule such as `git log *` does not mean them: a line that has
 * one is allowed only by a rule that spells it. Programs accept the beginning of a long option too, and several letters in one word.
 */
import { baseName } from './wrappers.ts';

interface Escape {
  /** Long options, without their dashes. */
  readonly long?: readonly string[];
  /** Any other word. */
  readonly word?: RegExp;
}

const AWK: Escape = {
  word: /system\s*\(|getline|\||>|@(load|include)|^-[a-zA-Z]*[fiEldpo]/,
  long: ['file', 'include', 'exec', 'load', 'debug', 'dump-variables', 'pretty-print', 'profile', 'source'],
};
const PYTHON: Escape = { word: /^-\w*[cmi]/ };
/** Everything such a command does is writing, or running what it is told. */
const ANYTHING: Escape = { word: /^/ };

const ESCAPES: Readonly<Record<string, Escape>> = {
  find: { word: /^-(delete|fprint|fprint0|fprintf|fls|exec|execdir|ok|okdir)$/ },
  fd: { word: /^-\w*[xX]/, long: ['exec', 'exec-batch'] },
  git: {
    word: /^-\w*[cCO]/,
    long: [
      ...[
        'exec-path',
        'config-env',
        'git-dir',
        'work-tree',
        'upload-pack',
        'receive-pack',
        'ext-diff',
        'textconv',
        'exec',
      ],
      ...[
        'open-files-in-pager',
        'output',
        'output-directory',
        'template',
        'separate-git-dir',
        'extcmd',
        'tool',
        'editor',
      ],
    ],
  },
  tar: {
    word: /^-?[a-zA-Z]*[IF][a-zA-Z]*(=|$)/,
    long: [
      ...['to-command', 'checkpoint-action', 'use-compress-program', 'rmt-command', 'rsh-command', 'info-script'],
      ...['new-volume-script', 'index-file'],
    ],
  },
  rsync: { word: /^-\w*e/, long: ['rsh', 'rsync-path', 'log-file'] },
  sort: { word: /^-\w*[oT]/, long: ['output', 'compress-program', 'temporary-directory', 'files0-from'] },
  uniq: ANYTHING,
  sed: {
    word: /^-[a-zA-Z]*[if]|(^|[;{}\n\d$/!~=,+ ])\s*[ewW](\s|$|\\)|s([^\w\s\\]).*\3.*\3\w*[ew]|[\n;}]\s*[ewW]/s,
    long: ['in-place', 'file'],
  },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  rg: { word: /^-\w*z/, long: ['pre', 'hostname-bin', 'search-zip'] },
  man: { word: /^-\w*[PHC]/, long: ['pager', 'html', 'config-file', 'preprocessor'] },
  less: { word: /^-\w*[oOkK]|^\+/, long: ['log-file', 'lesskey-file', 'lesskey-content'] },
  curl: {
    word: /^-\w*[oOKTdFXDcJ]/,
    long: [
      'output',
      'remote-name',
      'config',
      'upload-file',
      'data',
      'form',
      'request',
      'dump-header',
      'cookie-jar',
      'trace',
      'stderr',
      'libcurl',
      'json',
    ],
  },
  wget: {
    word: /^-\w*[OeioaP]/,
    long: ['output-document', 'use-askpass', 'execute', 'post-data', 'post-file', 'input-file', 'config'],
  },
  npm: {
    word: /^(exec|x)$|^-\w*C/,
    long: ['script-shell', 'prefix', 'userconfig', 'globalconfig', 'node-options', 'shell', 'git'],
  },
  pnpm: { word: /^(exec|dlx)$|^-\w*C/, long: ['script-shell', 'dir', 'shell-mode'] },
  yarn: { word: /^(exec|dlx)$/, long: ['cwd', 'use-yarnrc'] },
  node: {
    word: /^-\w*[epr]/,
    long: ['eval', 'print', 'require', 'import', 'loader', 'experimental-loader', 'env-file'],
  },
  python: PYTHON,
  python3: PYTHON,
  perl: { word: /^-\w*[eEmMiI]/ },
  ruby: { word: /^-\w*[erIi]/ },
  make: { word: /^-\w*[fCIE]|^\w+\??:?\+?=/, long: ['file', 'makefile', 'directory', 'eval', 'include-dir'] },
  go: { word: /^--?(exec|toolexec|overlay|modfile|C)(=|$)|^generate$/ },
  cargo: { word: /^\+|^-\w*C/, long: ['config', 'manifest-path'] },
  docker: { word: /^-\w*[vH]/, long: ['volume', 'mount', 'privileged', 'host', 'config'] },
  zip: { word: /^-\w*T/, long: ['unzip-command', 'test'] },
  diff: { long: ['output'] },
  xxd: { word: /^-\w*r/ },
  tee: ANYTHING,
  dd: ANYTHING,
  ln: ANYTHING,
  vim: ANYTHING,
  vi: ANYTHING,
  ex: ANYTHING,
  ed: ANYTHING,
  emacs: ANYTHING,
  test: { word: /^-[vR]$/ },
  '[': { word: /^-[vR]$/ },
  printf: { word: /^-v/ },
  date: { word: /^-\w*s/, long: ['set'] },
};

/** Text that a builtin may evaluate although it was quoted: `test -v 'a[$(rm x)]'`. */
const EVALUATED = /\$\(|`|\$\{/;

/** The word that makes this command more than it seems, if there is one. */
export function escapeIn(words: readonly (string | undefined)[]): string | undefined {
  const [first = '', ...rest] = words;
  const name = baseName(first);
  const escape = Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined;
  return rest.find(
    (word): word is string =>
      word !== undefined && (EVALUATED.test(word) || (escape !== undefined && isEscape(escape, word))),
  );
}

function isEscape({ long = [], word: pattern }: Escape, word: string): boolean {
  if (pattern && (!word.startsWith('--') || word.includes(' ')) && pattern.test(word)) return true;
  if (pattern === ANYTHING.word) return true;
  if (!/^--./.test(word)) return false;
  const given = word.slice(2).split('=', 1)[0]!;
  return long.some((name) => name.startsWith(given));
}
