/**
 * Runs `spool daemon restart`, several times, while a session floods, a user types at an attached terminal, and other sessions
 * end.
 */
import type { DaemonStatus } from '@spool/protocol';
import { isAlive, program, SPOOL, Terminal, TestDaemon, until, VerifiedStream } from '@spool/testkit';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const BYTES = 48 * 1024 * 1024;

export interface RestartReport {
  readonly stream: { readonly bytes: number; readonly exitCode: number | null; readonly gaps: number };
  /** The typed lines, as the program read them. */
  readonly lines: readonly string[];
  readonly viewer: { readonly sawAll: boolean };
  /** The exit codes of children that ended around a restart. */
  readonly exitCodes: readonly (number | null)[];
  readonly pids: { readonly keepers: number; readonly holders: number; readonly left: number };
  readonly codes: readonly (number | null)[];
}

export default async function ({ restarts }: { restarts: number }): Promise<RestartReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const flood = await client.run({
    command: [program('verified-source'), String(BYTES), '60', '128'],
    size: PTY,
    env,
  });
  const reading = follow();
  const script = 'stty -echo; while read -r line; do echo "got $line"; [ "$line" = end ] && exit 9; done';
  const reader = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  using viewer = new Terminal([SPOOL, 'attach', reader.id], daemon.env);
  await until('it is attached', async () => (await client.get(reader.id)).viewers.length === 1);
  const statuses: DaemonStatus[] = [await client.status()];
  const codes: (number | null)[] = [];
  const exitCodes: Promise<number | null>[] = [];
  let typed = 0;
  const type = async (): Promise<void> => {
    viewer.type(`line ${++typed}.\r`);
    // Not the end of the line: after a restart it may be painted as part of a screen.
    await until(`line ${typed} is shown`, () => viewer.printed.includes(`got line ${typed}.`));
  };
  for (let at = 0; at < restarts; at++) {
    const short = await client.run({ command: ['sh', '-c', `sleep 0.${at}; exit ${20 + at}`], size: PTY, env });
    exitCodes.push(client.wait(short.id).then(({ exitCode }) => exitCode));
    const restarting = daemon.spool(['daemon', 'restart']);
    do await type();
    while (!(await isOver(restarting)));
    const { code, stderr } = await restarting;
    codes.push(code);
    if (code !== 0) throw new Error(stderr);
    statuses.push(await client.status());
  }
  viewer.type('end\r');
  const { exitCode } = await client.wait(reader.id);
  exitCodes.push(Promise.resolve(exitCode));
  const stream = await reading;
  const lines = await linesOf(reader.id);
  const ours = new Set(statuses.flatMap(({ holder, keeper }) => [holder.pid, keeper.pid]));
  return {
    stream,
    lines,
    viewer: { sawAll: lines.every((line) => viewer.printed.includes(line)) },
    exitCodes: await Promise.all(exitCodes),
    pids: {
      keepers: new Set(statuses.map(({ keeper }) => keeper.pid)).size,
      holders: new Set(statuses.map(({ holder }) => holder.pid)).size,
      left: [...ours].filter(isAlive).length,
    },
    codes,
  };

  async function follow(): Promise<RestartReport['stream']> {
    const verified = new VerifiedStream();
    let gaps = 0;
    let exit: number | null = null;
    for await (const item of flood.watch({ from: 0 })) {
      if (item.type === 'output') verified.push(item.offset, item.bytes);
      if (item.type === 'gap') gaps++;
      if (item.type === 'exit') exit = item.exitCode;
    }
    return { bytes: verified.offset, exitCode: exit, gaps };
  }

  async function linesOf(id: string): Promise<string[]> {
    let text = '';
    for await (const item of client.watch(id, { from: 0 }))
      if (item.type === 'output') text += Buffer.from(item.bytes).toString();
    return text.split('\r\n').filter((line) => line.startsWith('got '));
  }
}

function isOver(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false)))]);
}
