/** Tests the resources of a child, and the errors if it cannot start. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants as fsConstants,
  existsSync,
  mkdirSync,
  openSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { native, type SpawnOptions } from './index.ts';
import { SIZE, ends, finish, flagsOf, folder, freshNode, guardAgainstLeaks, run, spawn } from './testing/children.ts';

guardAgainstLeaks();

test('[RUN-4] the child has no fds, ignored signals, blocked signals, limits or variables of ours', async () => {
  const stray = openSync('/etc/passwd', 'r');
  native.setCloexec(stray, false);
  process.env['SPOOL_CANARY'] = 'must not leak';
  for (const size of [undefined, SIZE]) {
    const asked = { ...(size && { size }), umask: 0o027, nofileSoft: 321, env: ['PATH=/usr/bin:/bin', 'A=ä=1'] };
    const say = async (...argv: string[]): Promise<string> => (await run(argv, asked)).text.replaceAll('\r\n', '\n');
    expect(await say('ls', '-1', '/proc/self/fd')).toBe('0\n1\n2\n3\n'); // 3 is the folder that ls itself reads
    expect(await say('grep', '-E', '^(Sig(Pnd|Blk|Ign)|Umask)', '/proc/self/status')).toBe(
      'Umask:\t0027\n' + ['Pnd', 'Blk', 'Ign'].map((kind) => `Sig${kind}:\t0000000000000000\n`).join(''),
    );
    expect(await say('sh', '-c', 'ulimit -Sn')).toBe('321\n');
    expect(await say('sh', '-c', 'ulimit -Hn')).toBe(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }));
    expect(await say('env')).toBe('PATH=/usr/bin:/bin\nA=ä=1\n');
  }
  delete process.env['SPOOL_CANARY'];
  closeSync(stray);
});

test('[RUN-4] the child leads a session of its own, and its terminal is its controlling terminal', async () => {
  for (const size of [undefined, SIZE]) {
    const { text, pid, pts } = await run(['cat', '/proc/self/stat'], size && { size });
    const [group, session, tty, foreground] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(2)
      .map(Number);
    const minor = size ? Number(pts!.slice('/dev/pts/'.length)) : 0;
    const device = (136 << 8) | (minor & 0xff) | ((minor & ~0xff) << 12);
    expect({ group, session, tty, foreground }).toEqual(
      size
        ? { group: pid, session: pid, tty: device, foreground: pid }
        : { group: pid, session: pid, tty: 0, foreground: -1 },
    );
  }
});

test('a soft limit above the hard one is capped', async () => {
  const { text } = await run(['sh', '-c', 'test $(ulimit -Sn) = $(ulimit -Hn) && echo same'], { nofileSoft: 2 ** 30 });
  expect(text).toBe('same\n');
});

test('our ends are non-blocking and close-on-exec, those of the child are blocking', async () => {
  for (const size of [undefined, SIZE]) {
    const child = spawn(['sh', '-c', 'cat /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 /proc/$$/fdinfo/2'], size && { size });
    for (const fd of ends(child)) expect(flagsOf(fd)).toMatchObject({ nonblocking: true, cloexec: true });
    expect(flagsOf(child.pidfd)).toMatchObject({ cloexec: true });
    const { text } = await finish(child);
    const flags = [...text.matchAll(/flags:\t(\d+)/g)].map((match) => parseInt(match[1]!, 8) & fsConstants.O_NONBLOCK);
    expect(flags).toEqual([0, 0, 0]);
  }
});

test('the terminal has its size, UTF-8 erasing and sane modes before the program runs', async () => {
  const { text } = await run(['stty', '-a'], { size: { cols: 132, rows: 43 } });
  expect(text).toContain('rows 43; columns 132;');
  expect(text.split(/\s+/)).toEqual(expect.arrayContaining(['iutf8', 'icanon', 'onlcr', 'isig', 'echo']));
});

test('[RUN-1] argv, cwd and PATH are taken as given', async () => {
  const argv = ['sh', '-c', 'printf "%s|" "$0" "$@"; pwd', 'zero', '', 'two words', 'ünï', '-x'];
  expect((await run(argv, { cwd: folder })).text).toBe(`zero||two words|ünï|-x|${folder}\n`);
  const other = await run(['renamed', '-c', 'cat /proc/$$/cmdline'], { file: '/bin/sh' });
  expect(other.text).toBe('renamed\0-c\0cat /proc/$$/cmdline\0');
  expect((await run(['true'], { env: [] })).status.code).toBe(0); // no PATH: the default folders
});

test('programs are looked up by the rules of execvp', async () => {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  for (const path of [first, second]) mkdirSync(path);
  writeFileSync(join(first, 'prog'), '#!/bin/sh\necho first\n', { mode: 0o644 });
  writeFileSync(join(second, 'prog'), '#!/bin/sh\necho second "$@"\n', { mode: 0o755 });
  writeFileSync(join(second, 'bare'), 'echo bare "$0" "$@"\n', { mode: 0o755 });
  writeFileSync(join(second, 'odd'), '#!/no/such/interpreter\n', { mode: 0o755 });
  const PATH = (...parts: string[]): Partial<SpawnOptions> => ({ env: [`PATH=${parts.join(':')}`] });

  expect((await run(['prog', 'a'], PATH(first, second))).text).toBe('second a\n'); // a file without execute permission is skipped
  expect((await run(['prog'], PATH('/etc/passwd', second))).text).toBe('second\n'); // a PATH element that is not a folder
  expect((await run(['prog'], { ...PATH('/none', ''), cwd: second })).text).toBe('second\n'); // empty: the child's cwd
  expect((await run(['./prog'], { ...PATH(first), cwd: second })).text).toBe('second\n'); // a slash: no lookup
  expect((await run(['bare', 'x y'], PATH(second))).text).toBe(`bare ${join(second, 'bare')} x y\n`); // no #!: by sh
  for (const [options, code] of [
    [{ file: 'prog', ...PATH(first, '/none') }, 'EACCES'], // "permission denied" takes precedence over "not found"
    [{ file: 'prog', ...PATH('/none') }, 'ENOENT'],
    [{ file: 'odd', ...PATH(second) }, 'ENOENT'],
    [{ file: '', ...PATH(second) }, 'ENOENT'],
    [{ file: 'x'.repeat(5000) }, 'ENAMETOOLONG'],
    [{ argv: ['true', 'x'.repeat(1 << 18)], file: 'true' }, 'E2BIG'],
  ] as const)
    expect(() => spawn(['prog'], options)).toThrow(expect.objectContaining({ code, syscall: 'execve' }));
});

test('a child that could not start is told by stage and code, and leaves nothing behind', () => {
  for (let round = 0; round < 50; round++)
    for (const size of [undefined, SIZE])
      for (const [options, error] of [
        [{ file: 'no-such-program' }, { code: 'ENOENT', errno: -2, syscall: 'execve', path: 'no-such-program' }],
        [{ file: '/etc/passwd' }, { code: 'EACCES', errno: -13, syscall: 'execve', path: '/etc/passwd' }],
        [{ file: '/etc' }, { code: 'EACCES', syscall: 'execve' }],
        [{ cwd: '/no/such/folder' }, { code: 'ENOENT', errno: -2, syscall: 'chdir', path: '/no/such/folder' }],
        [{ cwd: '/etc/passwd' }, { code: 'ENOTDIR', syscall: 'chdir' }],
        [{ cgroupProcsFd: 9999 }, { code: 'EBADF', syscall: 'cgroup' }],
      ] as const)
        expect(() => spawn(['true'], { ...options, ...(size && { size }) })).toThrow(expect.objectContaining(error));
  expect(() => spawn(['no-such-program'])).toThrow("ENOENT: no such file or directory, execve 'no-such-program'");
}); // afterEach: no child, no fd

test('[RUN-4] the child has the limits and the niceness that were asked for; what is more than is allowed is cut', async () => {
  const limits = new Float64Array([4, 0, 0, 0, 77, Infinity, 7, 2 ** 40, Infinity]);
  const { text } = await run(
    ['sh', '-c', 'ulimit -c; ulimit -St; test $(ulimit -Sn) = $(ulimit -Hn) && echo same; nice'],
    {
      limits,
      nice: 7,
    },
  );
  expect(text.split(/\s+/)).toEqual(['0', '77', 'same', '7', '']);
});

test('options of a wrong type are refused before anything is made', () => {
  for (const options of [
    { file: 7 },
    { argv: 'sh' },
    { argv: ['sh', 7] },
    { env: ['A\0B'] },
    { cwd: undefined },
    { umask: '022' },
    { limits: [0, 1, 1] },
    { limits: new Float64Array(4) },
    { nice: 'very' },
    { size: { cols: 80 } },
  ])
    expect(() => spawn(['true'], options as unknown as SpawnOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
    );
  expect(() => native.spawn(undefined as unknown as SpawnOptions)).toThrow(TypeError);
});

test('a daemon without stdio of its own still gives the child its three fds', async () => {
  for (const size of ['', 'size: { cols: 80, rows: 24 },'])
    expect(
      await freshNode(`
        for (const fd of [0, 1, 2]) native.close(fd);
        const child = native.spawn({ file: 'sh', argv: ['sh', '-c', 'read x; echo $x; echo err >&2; ls /proc/self/fd'],
          env: ['PATH=/usr/bin:/bin'], cwd: '/', umask: 0, nofileSoft: 99, ${size} cgroupProcsFd: -1 });
        const into = new Uint8Array(1000);
        const isPty = child.kind === 'pty';
        native.write(isPty ? child.master : child.stdin, Buffer.from('line\\n'));
        let status; while (!(status = native.exitStatus(child.pidfd)));
        const text = (fd) => { // until it is empty: one read of a terminal may return less than there is
            let all = '';
            for (let n; (n = native.read(fd, into)) > 0;) all += Buffer.from(into.subarray(0, n));
            return all;
          };
        report([status.code, ...(isPty ? [text(child.master)] : [text(child.stdout), text(child.stderr)])]);`),
    ).toEqual(size ? [0, 'line\r\nline\r\nerr\r\n0  1  2  3\r\n'] : [0, 'line\n0\n1\n2\n3\n', 'err\n']);
});

test('the child moves itself into the cgroup before it runs', async ({ skip }) => {
  const root = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(join(path, 'cgroup.procs')));
  const group = join(root ?? '', `spool-native-${process.pid}`);
  try {
    if (root) mkdirSync(group);
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    skip('runs where a cgroup v2 folder can be made, e.g. as root');
  }
  skip(!root, 'runs where cgroup v2 is mounted');
  const procs = openSync(join(group, 'cgroup.procs'), 'w');
  const { text } = await run(['cat', '/proc/self/cgroup'], { cgroupProcsFd: procs });
  expect(text).toContain(`0::/spool-native-${process.pid}\n`);
  closeSync(procs);
  rmdirSync(group);
});
