import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFiles } from './open-files.ts';

test('the limit is the one that the process has, and what it opens is counted', () => {
  const module = fileURLToPath(new URL('open-files.ts', import.meta.url));
  const script = `import { openFiles } from ${JSON.stringify(module)}; console.log(openFiles().limit)`;
  const printed = execFileSync(
    'sh',
    ['-c', 'ulimit -n 123; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { encoding: 'utf8' },
  );
  expect(printed).toBe('123\n');
  const before = openFiles().used;
  const fds = Array.from({ length: 100 }, () => openSync('/dev/null', 'r'));
  expect(openFiles().used - before).toBeGreaterThan(90); // other code may close some meanwhile
  fds.forEach((fd) => closeSync(fd));
});
