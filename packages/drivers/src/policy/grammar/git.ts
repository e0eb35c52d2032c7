/**
 * The subcommands of git that show something, with the options that keep them read-only. Git runs programs that a repository's
 * configuration names (diff drivers, filters, fsmonitor, gpg, pagers, hooks), so these count only in a repository that names none:
 * `git-repository.ts`.
 */
import type { Grammar } from './grammar.ts';

const WHEN = '{always,never,auto}';
const DATE =
  '{relative,local,default,iso,iso8601,iso-strict,iso8601-strict,rfc,rfc2822,short,raw,human,unix,iso-local,short-local,raw-local,rfc-local}';
/** The harmless keys. Other keys run a program: `signature` runs gpg, `describe` another git. */
const SORTABLE = [
  'refname',
  'creatordate',
  'committerdate',
  'authordate',
  'taggerdate',
  'version:refname',
  'v:refname',
];
const SORT = `{${SORTABLE.flatMap((key) => [key, `-${key}`]).join(',')}}`;

const REVISIONS =
  '-n=NUM -NUM --max-count=NUM --skip=NUM --since=TEXT --after=TEXT --until=TEXT --before=TEXT --author=TEXT --committer=TEXT ' +
  '--grep=TEXT -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings --all-match --invert-grep --merges --no-merges ' +
  '--first-parent --all --branches[=TEXT] --tags[=TEXT] --remotes[=TEXT] --reverse --topo-order --date-order --author-date-order ' +
  '--graph --no-walk --left-right --cherry-pick --cherry-mark';
const LOOK =
  '--oneline --abbrev-commit --no-abbrev-commit --abbrev[=NUM] --pretty[=GITFORMAT] --format=GITFORMAT ' +
  `--date=${DATE} --decorate[={short,full,auto,no}] --no-decorate --color[=${WHEN}] ` +
  '--no-color --source --parents --children --no-notes --relative-date --no-show-signature';
const DIFF =
  '-p -u -s --patch --no-patch -U=NUM --unified=NUM --raw --minimal --patience --histogram --stat[=WORD] --numstat --shortstat ' +
  '--dirstat[=WORD] --summary --name-only --name-status --no-renames -M[=NUM] -C[=NUM] --find-renames[=NUM] --find-copies[=NUM] ' +
  '--diff-filter=WORD -S=TEXT -G=TEXT --pickaxe-regex -w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol ' +
  '--ignore-blank-lines --ignore-cr-at-eol -W --function-context --word-diff[={color,plain,porcelain,none}] --color-words --compact-summary --check -z ' +
  '--full-index --no-ext-diff --no-textconv --no-prefix -R --exit-code --quiet -a --text --ignore-submodules[={none,untracked,dirty,all}] ' +
  '--relative';

export const GIT: Readonly<Record<string, Grammar>> = {
  status: {
    options:
      '-s -b -v -u[={no,normal,all}] -z --short --branch --show-stash --long --verbose --porcelain[={v1,v2}] ' +
      '--untracked-files[={no,normal,all}] --ignored[={traditional,no,matching}] ' +
      '--ignore-submodules[={none,untracked,dirty,all}] --renames --no-renames --ahead-behind --no-ahead-behind',
    operands: 'REV*',
    readsUnnamed: true,
  },
  log: { options: `${REVISIONS} ${LOOK} ${DIFF} --follow -L=TEXT`, operands: 'REV*', readsUnnamed: true },
  show: { options: `${LOOK} ${DIFF}`, operands: 'REV*', readsUnnamed: true },
  diff: {
    options: `${DIFF} --cached --staged --merge-base --color[=${WHEN}] --no-color --abbrev[=NUM]`,
    operands: 'REV*',
    readsUnnamed: true,
  },
  blame: {
    options:
      '-l -t -f -n -s -e -w -p -c -b -L=TEXT --root --line-porcelain --porcelain --show-name --show-number --show-email ' +
      `--date=${DATE} --abbrev=NUM`,
    operands: 'REV REV*',
    readsUnnamed: true,
  },
  branch: {
    options:
      '-a -r -v -i -l --all --remotes --verbose --list --show-current --contains=REV --no-contains=REV --merged[=TEXT] ' +
      `--no-merged[=TEXT] --sort=${SORT} --points-at=REV --color[=${WHEN}] ` +
      '--no-color --ignore-case --abbrev[=NUM] --no-abbrev',
    operands: 'TEXT*',
    // Without this option, an operand is a branch to be created. In an old git, -l has another meaning.
    needs: ['--list'],
  },
  tag: {
    options: `-l -i --list --sort=${SORT} --contains=REV --no-contains=REV --merged=REV --points-at=REV --ignore-case --color[=${WHEN}]`,
    operands: 'TEXT*',
    needs: ['--list', '-l'],
  },
  remote: { options: '-v --verbose', operands: '' },
  'rev-parse': {
    options:
      '-q --quiet --verify --short[=NUM] --abbrev-ref[={strict,loose}] --symbolic --symbolic-full-name --all --show-toplevel --show-prefix ' +
      '--show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository',
    operands: 'REV*',
  },
  'rev-list': { options: `${REVISIONS} --count --parents --abbrev-commit --oneline`, operands: 'REV REV*' },
  'merge-base': { options: '-a --all --is-ancestor', operands: 'REV REV REV*' },
  'ls-files': {
    options:
      '-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory ' +
      '--no-empty-directory --exclude-standard --exclude=TEXT -x=TEXT --full-name --error-unmatch --abbrev[=NUM] --deduplicate',
    operands: 'PATH*',
  },
};
