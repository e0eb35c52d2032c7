import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('[LIFE-8] fds that find no room are sent again, the link holds, and what needs all of them waits', () => {
  const script = fileURLToPath(new URL('testing/lost-fds.ts', import.meta.url));
  const printed = execFileSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script], {
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual([
    'before with 0',
    'session lost its fds',
    'last with 0',
    'asked again: missed',
    'session with 4',
  ]);
});
