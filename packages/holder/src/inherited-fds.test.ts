import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('[RUN-4] fds inherited by accident are closed; the kept fd, and those of Node, stay open', () => {
  const script = `
    import { readdirSync, readlinkSync } from 'node:fs';
    const { closeInheritedFds } = await import(${JSON.stringify(new URL('inherited-fds.ts', import.meta.url).href)});
    const inherited = () => readdirSync('/proc/self/fd').filter((fd) => {
      try { return readlinkSync('/proc/self/fd/' + fd).startsWith('/etc/'); } catch { return false; }
    });
    const before = inherited();
    closeInheritedFds(50);
    const timer = await new Promise((resolve) => setTimeout(resolve, 1, 'goes on'));
    console.log(JSON.stringify({ before, after: inherited(), timer }));`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'exec 42</etc/passwd 50</etc/group; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ before: ['42', '50'], after: ['50'], timer: 'goes on' });
});
