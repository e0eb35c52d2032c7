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

/** A disk that has these folders. */
function disk(...folders: string[]) {
  const made: string[] = [];
  const mkdir = (path: string): void => {
    if (folders.includes(path)) throw Object.assign(new Error(), { code: 'EEXIST' });
    if (path.startsWith('/proc')) throw Object.assign(new Error(), { code: 'ENOENT' });
    const above = path.slice(0, path.lastIndexOf('/')) || '/';
    if (!folders.includes(above)) throw Object.assign(new Error(), { code: 'ENOENT' });
    folders.push(path);
    made.push(path);
  };
  return { made, mkdir };
}

test('what is missing above a folder is made first', () => {
  const { made, mkdir } = disk('/', '/home');
  makeFolders('/home/me/state/spool', mkdir);
  makeFolders('/home/me/state/spool', mkdir);
  expect(made).toEqual(['/home/me', '/home/me/state', '/home/me/state/spool']);
});

test('where no folder can be made, as below /proc, the attempt ends with the reason', () => {
  const { mkdir } = disk('/', '/proc');
  expect(() => makeFolders('/proc/spool/state', mkdir)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
