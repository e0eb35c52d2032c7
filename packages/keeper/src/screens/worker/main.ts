/** The screen thread. It has a low priority, because moving bytes is more urgent than painting them. */
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { LOAD_CHECK } from '@spool/protocol';
import type { ToScreens } from '../messages.ts';
import { ScreenWorker } from './screen-worker.ts';

const NICENESS = 5;

if (isMainThread && process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}

const port = parentPort!;
const { configFolder } = workerData as { configFolder: string };
// A user's rule with catastrophic backtracking falls back to the linear regexp engine.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
setPriority(NICENESS); // on Linux, this is the priority of this thread alone
const worker = new ScreenWorker(configFolder, (message) => port.postMessage(message));
port.on('message', (message: ToScreens) => worker.handle(message));
worker.warmUp();
port.postMessage({ type: 'ready' });
