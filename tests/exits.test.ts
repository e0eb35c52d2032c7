import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { TestDaemon } from '@spool/testkit';
import { constants } from 'node:os';
import { expect, test } from 'vitest';

test('[RUN-2] [RUN-3] 2,000 children that print and exit at once lose no byte and no exit code, under load and with slow readers', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await using _pauses = pausesOf((await client.status()).keeper.pid);
  const count = 2000;
  const results = await inParallel(count, 24, async (index) => {
    const bytes = sizeOf(index);
    const code = index % 256;
    // head prints exact bytes of a known pattern faster than any script; the shell then ends with the code at once.
    const command = ['sh', '-c', `yes ${index} | head -c ${bytes}; exit ${code}`];
    const session = await client.run({ command, size: { cols: 80, rows: 24 }, env: { PATH: process.env.PATH! } });
    const isSlow = index % 2 === 1;
    const chunks: Uint8Array[] = [];
    let exit: unknown;
    for await (const item of session.watch({ from: 0, ...(isSlow && { creditBytes: 4096 }) })) {
      if (item.type === 'output') {
        chunks.push(item.bytes);
        if (isSlow && chunks.length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (item.type === 'exit') exit = { exitCode: item.exitCode, signal: item.signal };
    }
    const isExact = Buffer.concat(chunks).equals(expectedOutput(index, bytes));
    return { index, isExact, exit, expected: { exitCode: code, signal: null } };
  });
  expect(results.filter(({ isExact }) => !isExact).map(({ index }) => index)).toEqual([]);
  expect(results.map(({ exit }) => exit)).toEqual(results.map(({ expected }) => expected));
}, 600_000);

test('[RUN-3] every exit code from 0 to 255 and every deadly signal is reported exactly', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const codes = await inParallel(256, 16, async (code) => {
    const { id } = await client.run({
      command: ['sh', '-c', `exit ${code}`],
      size: null,
      env: { PATH: process.env.PATH! },
    });
    const { exitCode, signal, state } = await client.wait(id);
    return { exitCode, signal, state };
  });
  expect(codes).toEqual(
    codes.map((_, code) => ({ exitCode: code, signal: null, state: code === 0 ? 'exited' : 'failed' })),
  );
  const deadly = [
    'SIGHUP',
    'SIGINT',
    'SIGQUIT',
    'SIGABRT',
    'SIGKILL',
    'SIGSEGV',
    'SIGTERM',
    'SIGUSR1',
    'SIGPIPE',
  ] as const;
  const signals = await inParallel(deadly.length, 4, async (at) => {
    const command = ['sh', '-c', `kill -${constants.signals[deadly[at]!]} $$; sleep 10`];
    const { id } = await client.run({ command, size: { cols: 80, rows: 24 }, env: { PATH: process.env.PATH! } });
    const { exitCode, signal, state } = await client.wait(id);
    return { exitCode, signal, state };
  });
  expect(signals).toEqual(deadly.map((signal) => ({ exitCode: null, signal, state: 'failed' })));
});

test('[RUN-3] a real-time signal is sent and reported by one name', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const names = [];
  for (const asked of ['RTMIN+2', '36', 'SIGRTMAX-28']) {
    const { id } = await client.run({ command: ['sleep', '100'], size: null, env: { PATH: process.env.PATH! } });
    expect(await daemon.spool(['kill', '-s', asked, id])).toMatchObject({ code: 0 });
    names.push((await client.wait(id)).signal);
  }
  expect(names).toEqual(['SIGRTMIN+2', 'SIGRTMIN+2', 'SIGRTMIN+2']);
});

/** Returns 1 B to 64 KB, on a logarithmic scale, so that most are small, as in real use; one of 97 prints 1 MB. */
function sizeOf(index: number): number {
  return index % 97 === 96 ? 1_000_000 : Math.round(10 ** ((index % 97) / 20));
}

/** Returns the output of `yes INDEX | head -c BYTES` on a terminal: each \n becomes \r\n. */
function expectedOutput(index: number, bytes: number): Buffer {
  const line = `${index}\n`;
  const plain = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  return Buffer.from(plain.replaceAll('\n', '\r\n'));
}

async function inParallel<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

/**
 * Pauses the keeper again and again, as a busy machine does, but without its load: children print, exit and are reaped while it
 * cannot look.
 */
function pausesOf(keeper: number): AsyncDisposable {
  const script = 'while kill -STOP $0; do sleep 0.03; kill -CONT $0; sleep 0.07; done';
  const pauser = spawn('sh', ['-c', script, String(keeper)], { stdio: 'ignore' });
  return {
    async [Symbol.asyncDispose]() {
      pauser.kill();
      await once(pauser, 'exit');
      process.kill(keeper, 'SIGCONT');
    },
  };
}
