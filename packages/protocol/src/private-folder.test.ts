import { expect, test } from 'vitest';
import { canOthersEnter, foreignFolder, makeFolders } from './private-folder.ts';

const folder = { uid: 1, mode: 0o40700, isSymbolicLink: () => false, isDirectory: () => true };

test('a folder of somebody else, a link and a file are refused, each with its reason', () => {
  expect(foreignFolder(folder, 1)).toBeNull();
  expect(foreignFolder(folder, 2)).toBe('it belongs to user 1, not to you');
  expect(foreignFolder({ ...folder, isSymbolicLink: () => true }, 1)).toBe('it is a symbolic link');
  expect(foreignFolder({ ...folder, isDirectory: () => false }, 1)).toBe('it is not a folder');
});

test('a folder that others can read, write or enter is not private', () => {
  expect([0o700, 0o600, 0o500].map((mode) => canOthersEnter({ ...folder, mode }))).toEqual([false, false, false]);
  expect([0o710, 0o701, 0o770].map((mode) => canOthersEnter({ ...folder, mode }))).toEqual([true, true, true]);
});

/** Creates a disk that has these folders, each with its user. New folders belong to this user. */
function disk(uid: number, folders: Record<string, number>) {
  const made: string[] = [];
  const stat = (path: string) => {
    const [owner, mode] = [folders[path], path === '/tmp' ? 0o41777 : 0o40755];
    return owner === undefined ? undefined : { ...folder, uid: owner, mode };
  };
  const mkdir = (path: string): void => {
    if (folders[path] !== undefined) throw Object.assign(new Error(), { code: 'EEXIST' });
    if (path.startsWith('/proc')) throw Object.assign(new Error(), { code: 'ENOENT' });
    folders[path] = uid;
    made.push(path);
  };
  return { made, make: (path: string) => makeFolders(path, uid, { mkdir, stat }) };
}

test('what is missing above a folder is made first', () => {
  const { made, make } = disk(1000, { '/': 0, '/home': 0 });
  make('/home/me/state/spool');
  make('/home/me/state/spool');
  expect(made).toEqual(['/home/me', '/home/me/state', '/home/me/state/spool']);
});

test('where no folder can be made, as below /proc, the attempt ends with the reason', () => {
  const { make } = disk(0, { '/': 0, '/proc': 0 });
  expect(() => make('/proc/spool/state')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('[DOOR-24] root makes no folder in that of another user, who could not enter it any more', () => {
  const { made, make } = disk(0, { '/': 0, '/root': 0, '/home': 0, '/home/ann': 1000, '/tmp': 1000 });
  expect(() => make('/home/ann/.local/state/spool')).toThrow('a folder of user 1000 (/home/ann)');
  expect(made).toEqual([]);
  make('/root/.local/state/spool');
  make('/tmp/spool');
  expect(made).toContain('/tmp/spool');
});

test('a user makes folders wherever that user may', () => {
  const { made, make } = disk(1000, { '/': 0, '/srv': 1001 });
  make('/srv/team/spool');
  expect(made).toEqual(['/srv/team', '/srv/team/spool']);
});
