/**
 * Decides whether git, run in a folder, starts no other program: the repository's own configuration has only settings that are
 * known to name no program, its hooks are only those that no read-only command runs, and it has no submodules, whose configuration
 * would count too. Programs in the user's own configuration are the user's choice. Keeps POL-6.
 */
import type { PolicyFiles } from './policy-files.ts';

/** The settings that start nothing, whatever their values. Names are in lower case; `*` is a name that the user chooses. */
const HARMLESS_SETTINGS: ReadonlySet<string> = new Set(
  (
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks ' +
    'core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.compression core.untrackedcache core.preloadindex ' +
    'core.checkstat core.trustctime core.protectntfs core.protecthfs core.longpaths core.whitespace core.commentchar ' +
    'remote.*.url remote.*.fetch remote.*.pushurl remote.*.tagopt remote.*.prune remote.*.gh-resolved remote.pushdefault ' +
    'branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote branch.*.description branch.*.vscode-merge-base ' +
    'branch.autosetuprebase branch.autosetupmerge branch.sort user.name user.email user.signingkey user.useconfigonly ' +
    'init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.prunetags ' +
    'merge.ff merge.conflictstyle rebase.autostash rebase.autosquash color.ui color.diff color.status color.branch gc.auto ' +
    'gc.autodetach gc.pruneexpire maintenance.auto log.date log.decorate log.abbrevcommit log.follow diff.algorithm diff.renames ' +
    'diff.mnemonicprefix diff.noprefix diff.colormoved diff.context status.short status.branch status.showuntrackedfiles ' +
    'commit.gpgsign tag.gpgsign rerere.enabled advice.detachedhead lfs.repositoryformatversion submodule.active'
  ).split(' '),
);

/**
 * The hooks that git runs when it commits, fetches or pushes, but never when it only shows something. `post-index-change` is not
 * one of them.
 */
const HARMLESS_HOOKS: ReadonlySet<string> = new Set(
  (
    'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase ' +
    'post-checkout post-merge pre-push post-rewrite pre-auto-gc sendemail-validate pre-receive update post-receive post-update ' +
    'push-to-checkout proc-receive'
  ).split(' '),
);

/**
 * Returns the reason why git could run another program in this folder; undefined if it cannot. Every folder up to the root counts,
 * not only the first with a repository: if git refuses one that looks valid here, it searches further up.
 */
export function gitRisk(files: PolicyFiles, folder: string): string | undefined {
  try {
    for (let at = folder === '/' ? '' : folder; ; at = at.slice(0, at.lastIndexOf('/'))) {
      // Git also takes a folder that looks like the inside of a repository. Each such folder has a HEAD.
      if (isThere(files, `${at}/HEAD`)) return `${at || '/'} looks like a bare repository`;
      const risk = isThere(files, `${at}/.git`) ? repositoryRisk(files, at) : undefined;
      if (risk !== undefined || at === '') return risk;
    }
  } catch {
    return 'the repository cannot be read';
  }
}

/** Returns whether the path exists, including a link that leads nowhere. */
const isThere = (files: PolicyFiles, path: string): boolean => files.linkTarget(path) !== undefined;

/** Matches the content of HEAD: a branch or a commit, in the form that git writes. A HEAD that is a link is another, older form. */
const HEAD = /^(?:ref: refs\/[!-~]+|[0-9a-f]{40})\n$/;
/**
 * Matches the only line of a file that names a folder. Git removes line ends of every kind and number; at most one is accepted
 * here.
 */
const COMMON = /^([!-~][ -~]*)\n?$/;

function repositoryRisk(files: PolicyFiles, top: string): string | undefined {
  const own = ownFolder(files, top);
  const shared = own === undefined ? undefined : commonFolder(files, own);
  const unknown = `${top}/.git is not a repository that is understood`;
  if (own === undefined || shared === undefined) return unknown;
  const hasHead = files.linkTarget(`${own}/HEAD`) === null && HEAD.test(files.read(`${own}/HEAD`) ?? '');
  const config = files.read(`${shared}/config`);
  if (!hasHead || !files.list(`${shared}/objects`) || !files.list(`${shared}/refs`) || config === undefined)
    return unknown;
  return (
    configRisk(config) ??
    (isThere(files, `${own}/config.worktree`) ? 'the repository has a config.worktree' : undefined) ??
    hookRisk(files, shared) ??
    indexRisk(files.read(`${own}/index`))
  );
}

/** `.git` is a folder, or a file that names one (a worktree). */
function ownFolder(files: PolicyFiles, top: string): string | undefined {
  const git = `${top}/.git`;
  if (files.linkTarget(git) !== null) return undefined;
  if (files.list(git)) return git;
  const named = /^gitdir: ([!-~][ -~]*)\n?$/.exec(files.read(git) ?? '')?.[1];
  if (named === undefined) return undefined;
  return named.startsWith('/') ? named : `${top}/${named}`;
}

/** Returns the folder that worktrees share; undefined if it is unknown. */
function commonFolder(files: PolicyFiles, own: string): string | undefined {
  if (!isThere(files, `${own}/commondir`)) return own;
  const named = COMMON.exec(files.read(`${own}/commondir`) ?? '')?.[1];
  return named === undefined || named.startsWith('/') ? named : `${own}/${named}`;
}

/**
 * Returns the risk in a configuration. Each line must have one of the simplest forms; a line that git might read differently is a
 * risk.
 */
export function configRisk(config: string): string | undefined {
  let section = '';
  for (const line of config.split('\n')) {
    if (/^[\t ]*(?:[#;].*)?$/.test(line)) continue;
    const head = /^\[([A-Za-z0-9-]+)(?: "([^"\\]*)")?\][\t ]*$/.exec(line);
    if (head) {
      section = `${head[1]!.toLowerCase()}${head[2] === undefined ? '' : '.*'}`;
      continue;
    }
    const setting = /^[\t ]*([A-Za-z][A-Za-z0-9-]*)(?: *=[^\\"]*| *= *"[^"\\]*")?$/.exec(line);
    const name = `${section}.${(setting?.[1] ?? '').toLowerCase()}`;
    if (!setting || !HARMLESS_SETTINGS.has(name))
      return `the repository's configuration has ${setting ? `the setting ${name}` : 'a line that is not understood'}`;
  }
  return undefined;
}

function hookRisk(files: PolicyFiles, shared: string): string | undefined {
  const hooks = files.list(`${shared}/hooks`) ?? [];
  const other = hooks.find((name) => !name.endsWith('.sample') && !HARMLESS_HOOKS.has(name));
  return other === undefined ? undefined : `the repository has a hook ${JSON.stringify(other)}`;
}

/** Finds submodules: entries of the index with the mode of a link to a commit. */
export function indexRisk(index: string | undefined): string | undefined {
  if (index === undefined) return undefined;
  const unknown = 'the index of the repository is not understood';
  const number = (at: number): number =>
    ((index.charCodeAt(at) << 24) |
      (index.charCodeAt(at + 1) << 16) |
      (index.charCodeAt(at + 2) << 8) |
      index.charCodeAt(at + 3)) >>>
    0;
  const version = number(4);
  if (index.slice(0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return unknown;
  let at = 12;
  for (let left = number(8); left > 0; left--) {
    if (at + 62 > index.length) return unknown;
    const type = number(at + 24) >>> 12;
    if (type === 0o16) return 'the repository has submodules';
    if (type !== 0o10 && type !== 0o12) return unknown;
    const isExtended = (index.charCodeAt(at + 60) & 0x40) !== 0;
    const from = at + (isExtended ? 64 : 62);
    const end = index.indexOf('\0', from);
    if (end < 0) return unknown;
    // An entry is padded with one to eight zeros to a multiple of eight bytes.
    at += (end - at + 8) & ~7;
  }
  // The extensions: only those that hold caches are accepted. A `link` would name another index.
  while (at + 8 < index.length - 20) {
    if (!/^(TREE|REUC|UNTR|EOIE|IEOT)$/.test(index.slice(at, at + 4))) return unknown;
    at += 8 + number(at + 4);
  }
  return undefined;
}
