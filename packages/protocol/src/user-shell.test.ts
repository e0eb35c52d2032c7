import { expect, test } from 'vitest';
import { type ShellLookup, userShell } from './user-shell.ts';

const lookup = (account: string | null, ...executable: string[]): ShellLookup => ({
  account: () => account,
  checkExecutable: (path) => {
    if (!executable.includes(path)) throw new Error('EACCES');
  },
});

test('$SHELL, then the shell of the account, then /bin/sh: the first that can be executed', () => {
  expect(userShell({ SHELL: '/bin/zsh' }, lookup('/bin/bash', '/bin/zsh', '/bin/bash'))).toBe('/bin/zsh');
  expect(userShell({ SHELL: '/no/such' }, lookup('/bin/bash', '/bin/bash'))).toBe('/bin/bash');
  expect(userShell({}, lookup('/sbin/nologin'))).toBe('/bin/sh');
  expect(userShell({ SHELL: 'zsh' }, lookup(null, 'zsh'))).toBe('/bin/sh'); // a relative path would depend on the folder
});

test('a user without an account', () => {
  const none: ShellLookup = {
    account: () => {
      throw new Error('ENOENT');
    },
    checkExecutable: () => {},
  };
  expect(userShell({}, none)).toBe('/bin/sh');
});
