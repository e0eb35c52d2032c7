/** A file system for tests of decisions: symbolic links by their paths, and the folders above them. It has nothing else. */
import type { PolicyFiles } from '../policy-files.ts';

export function fakeFiles(links: Readonly<Record<string, string>> = {}): PolicyFiles {
  return {
    home: '/home/user',
    linkTarget: (path) => {
      if (Object.hasOwn(links, path)) return links[path]!;
      return Object.keys(links).some((link) => link.startsWith(`${path}/`)) ? null : undefined;
    },
    read: () => undefined,
    list: () => undefined,
  };
}
