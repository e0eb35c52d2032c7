/** A real daemon behind any transport, for the transport contract: the test controls sessions by its own connection. */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Client, Runtime } from '@spool/client';
import type { TestDaemon } from '../daemon.ts';
import { until } from '../processes.ts';
import type { TransportWorld, WorldSession } from './transport-contract.ts';

/** A program that prints the content of a FIFO, and writes its input to a file. It ends with the FIFO. */
const PROGRAM = 'stty raw -echo; cat > typed <&3 3<&- & : > ready; exec cat out 3<&-';

/** The output for a gap, four segments of a log. The last has fewer bytes than are kept, so the third stays too. */
const GAP_BYTES = 13_000_000;
const KEPT_FROM = 8 * 1024 * 1024;

const WITHIN_MS = 60_000;

export async function daemonWorld(
  daemon: TestDaemon,
  runtime: Runtime,
  dispose: () => Promise<void> | void,
): Promise<TransportWorld> {
  const control = await daemon.client();
  const folders: string[] = [];
  return {
    runtime,
    session: async () => {
      const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
      folders.push(folder);
      return await printer(control, folder);
    },
    async sessionWithGap() {
      const command = ['sh', '-c', `head -c ${GAP_BYTES} /dev/zero | tr '\\0' x`];
      const { id } = await control.run({ command, size: null, retainBytes: 1024 * 1024 });
      await control.wait(id);
      await until(
        'the first bytes are dropped',
        async () => (await control.get(id)).firstOffset >= KEPT_FROM,
        WITHIN_MS,
      );
      const { firstOffset, offset } = await control.get(id);
      return { id, firstOffset, bytes: Buffer.alloc(offset - firstOffset, 'x') };
    },
    async [Symbol.asyncDispose]() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      await dispose();
    },
  };
}

async function printer(control: Client, folder: string): Promise<WorldSession> {
  execFileSync('mkfifo', [`${folder}/out`]);
  const { id } = await control.run({
    command: ['sh', '-c', `exec 3<&0; ${PROGRAM}`],
    cwd: folder,
    size: { cols: 80, rows: 24 },
  });
  await until('the program is ready', () => existsSync(`${folder}/ready`), WITHIN_MS);
  const fifo = openSync(`${folder}/out`, 'r+'); // opens without waiting for a reader
  let printed = 0;
  return {
    id,
    async print(bytes) {
      for (let at = 0; at < bytes.length;) {
        // The kernel accepts 64 KiB at once; the next piece waits until the daemon has this one.
        const part = bytes.subarray(at, at + 32 * 1024);
        at += writeSync(fifo, part);
        printed += part.length;
        await until('it is in the log', async () => (await control.get(id)).offset >= printed, WITHIN_MS);
      }
    },
    async end() {
      closeSync(fifo);
      await control.wait(id);
    },
    async typed(bytes) {
      await until('what was typed is there', () => sizeOf(`${folder}/typed`) >= bytes, WITHIN_MS);
      return readFileSync(`${folder}/typed`, 'utf8');
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
