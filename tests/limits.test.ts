import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SPOOL, TestDaemon, until } from '@spool/testkit';
import { beforeEach, describe, expect, test } from 'vitest';

/** Runs a shell script, with the daemon's folder in its environment. */
function shell(daemon: TestDaemon, script: string, wrapper: string[] = []): string {
  const [file, ...args] = [...wrapper, 'sh', '-c', script];
  const { stdout, stderr } = spawnSync(file!, args, { env: daemon.env as NodeJS.ProcessEnv, encoding: 'utf8' });
  return stdout + stderr;
}

const mayRaiseLimits = (): boolean =>
  spawnSync('sh', ['-c', 'ulimit -n 64; exec prlimit --nofile=65:65 true'], { stdio: 'ignore' }).status === 0;

const lines = (text: string): string[] => text.split(/\r?\n/).filter(Boolean);

test.each(['', '--headless'])('[RUN-4] a child has all limits of its caller, and is as nice (run %s)', async (flag) => {
  await using daemon = new TestDaemon();
  await daemon.client();
  const script = `ulimit -Sn 700; ulimit -Hn 800; ulimit -c 0; ulimit -t 999; ulimit -f 200000; ulimit -Ss 4096
    ulimit -Sl 16; ulimit -v 90000000; nice -n 3 sh -c 'cat /proc/self/limits; nice; echo --
    ${SPOOL} run ${flag} -- sh -c "cat /proc/self/limits; nice"'`;
  const [own, child] = shell(daemon, script).split('--\n');
  expect(lines(own!)).toContainEqual(expect.stringMatching(/^Max cpu time\s+999\s+999/));
  expect(lines(child!)).toEqual(lines(own!));
});

describe('as root', () => {
  beforeEach(({ skip }) => skip(process.getuid!() !== 0, 'It runs as root.'));

  test('[RUN-48] the daemon is not born with the limits of whoever started it', async ({ skip }) => {
    skip(!mayRaiseLimits(), 'It runs where root may raise limits (CAP_SYS_RESOURCE).');
    await using daemon = new TestDaemon();
    const said = shell(
      daemon,
      `ulimit -t 2; ulimit -f 100; ulimit -v 60000000; ulimit -n 64; nice -n 9 ${SPOOL} daemon start`,
    );
    expect(said).toContain('The daemon is up'); // it is not a daemon that the next line starts
    const client = await daemon.client();
    const { holder, keeper } = await client.status();
    for (const { pid } of [holder, keeper]) {
      const limits = lines(readFileSync(`/proc/${pid}/limits`, 'utf8')).map((line) => line.split(/\s{2,}/).slice(0, 3));
      expect(limits).toContainEqual(['Max cpu time', 'unlimited', 'unlimited']);
      expect(limits).toContainEqual(['Max file size', 'unlimited', 'unlimited']);
      expect(limits).toContainEqual(['Max address space', 'unlimited', 'unlimited']);
      expect(limits).toContainEqual(['Max open files', '4096', '4096']);
      expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]).toBe('0'); // its niceness
    }
    expect(shell(daemon, `${SPOOL} run --headless -- sh -c 'ulimit -t; ulimit -f; nice'`)).toBe(
      'unlimited\nunlimited\n0\n',
    );
  });

  test('[RUN-48] where a limit that would end the daemon cannot be raised, the start is refused with a sentence', async () => {
    await using daemon = new TestDaemon();
    const withoutPrivilege = ['setpriv', '--bounding-set=-sys_resource', '--inh-caps=-sys_resource', '--'];
    expect(shell(daemon, `ulimit -t 100; ${SPOOL} daemon start`, withoutPrivilege)).toMatch(
      /no more than 100 seconds of CPU time \(ulimit -Ht\).*start it from another shell/,
    );
    // With these limits it could not run a single session.
    expect(shell(daemon, `ulimit -n 64; ${SPOOL} daemon start`, withoutPrivilege)).toMatch(
      /no more than 64 open files \(ulimit -Hn\).*start it from another shell/,
    );
    await until('it is gone', () => daemon.processes().length === 0);
  });
});
