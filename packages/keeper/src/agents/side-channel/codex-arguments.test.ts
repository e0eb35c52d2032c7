import { expect, test } from 'vitest';
import { readCodexArguments } from './codex-arguments.ts';
import { versionFault } from './known-versions.ts';

test('[RUN-27] known options are taken, and those of the process that runs the turns reach the server too', () => {
  expect(readCodexArguments([])).toEqual({ forServer: [] });
  expect(readCodexArguments(['-m', 'o3', '--search', 'fix the build'])).toEqual({ forServer: [] });
  expect(readCodexArguments(['-c', 'a=b', '--enable=x', '--', 'exec'])).toEqual({
    forServer: ['-c', 'a=b', '--enable', 'x'],
  });
});

test('[RUN-47] a subcommand, an unknown option and a server of the user run as typed', () => {
  const typed = [
    ['exec', 'do it'],
    ['login'],
    ['mcp', 'list'],
    ['-m', 'o3', 'resume', '--last'],
    ['--remote', 'unix:///x'],
    ['--remote=unix:///x'],
    ['--no-daemon'],
    ['--add-dir', '/x'],
    ['--search=yes'],
    ['-mo3'],
    ['-c'],
    ['--version'],
    ['one two', 'three four'],
    ['--a-later-option'],
  ];
  for (const words of typed) expect([words, readCodexArguments(words)]).toEqual([words, { why: expect.any(String) }]);
});

test('[RUN-47] only versions that were run are allowed', () => {
  expect(['0.166.0', '0.168.12', '0.169.0'].map((version) => versionFault('codex', version))).toEqual([
    null,
    null,
    null,
  ]);
  for (const version of ['0.165.9', '0.169.1', '0.170.0', '1.167.0'])
    expect(versionFault('codex', version)).toContain(`Codex ${version} is not known`);
});
