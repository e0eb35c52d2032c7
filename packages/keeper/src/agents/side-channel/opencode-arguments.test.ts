import { expect, test } from 'vitest';
import { opencodeArgumentsFault } from './opencode-arguments.ts';

test('[CHAN-2] known options of OpenCode get a port', () => {
  for (const words of [[], ['-m', 'a/b'], ['--model=a/b', '-c'], ['--prompt', 'run'], ['-s', 'ses_1', '--fork']])
    expect(opencodeArgumentsFault(words, {})).toBeNull();
});

test('[CHAN-2] a subcommand, a folder, a server of the user and an unknown option of OpenCode run as typed', () => {
  for (const words of [['serve'], ['./src'], ['--port', '1'], ['--mini'], ['--hostname=0.0.0.0'], ['-m'], ['--', 'x']])
    expect(opencodeArgumentsFault(words, {})).toEqual(expect.any(String));
  expect(opencodeArgumentsFault([], { OPENCODE_SERVER_PASSWORD: 'x' })).toContain('OPENCODE_SERVER_PASSWORD');
});
