/** Resolves paths like the kernel: each symbolic link is followed before the `..` behind it applies. Keeps POL-3. */
import type { PolicyFiles } from './policy-files.ts';

/** The number of links that Linux follows. */
const LINKS_MAX = 40;

/** The links in it differ between processes: the agent's `/proc/self/cwd` is unknown here. */
const OTHER_FOR_EACH = /^\/proc(?:\/|$)/;

/** Matches control characters, which a person could not see in a path. */
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Returns the path without links, even of a file that does not exist yet; undefined if it is unknown. */
export function realPath(files: PolicyFiles, path: string, cwd: string): string | undefined {
  if (path === '' || CONTROL.test(path) || !(path.startsWith('/') || cwd.startsWith('/'))) return undefined;
  const names = `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/');
  let real = '';
  let links = 0;
  let isThere = true;
  try {
    while (names.length > 0) {
      const name = names.shift()!;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        // The kernel refuses `..` behind a missing name, but a program may resolve it itself.
        real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
        isThere = true;
        continue;
      }
      const next = `${real}/${name}`;
      if (OTHER_FOR_EACH.test(next)) return undefined;
      const target: string | null | undefined = isThere ? files.linkTarget(next) : undefined;
      if (typeof target !== 'string') {
        if (target === undefined) isThere = false;
        real = next;
        continue;
      }
      if (++links > LINKS_MAX || CONTROL.test(target)) return undefined;
      if (target.startsWith('/')) real = '';
      names.unshift(...target.split('/'));
    }
  } catch {
    return undefined;
  }
  return real === '' ? '/' : real;
}

/** Returns the path with `.` and `..` resolved as text, as many programs do before they open it. */
export function plainPath(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Returns the path with the user's home folder for `~` and `$HOME`; undefined if only a shell could replace a part of it. */
export function expandHome(path: string, home: string): string | undefined {
  const short = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/.exec(path)?.[0];
  if (short !== undefined) return expandHome(`${home}${path.slice(short.length)}`, home);
  return /^~|\$/.test(path) ? undefined : path;
}
