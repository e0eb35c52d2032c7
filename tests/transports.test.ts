/** The transport contract with real daemons over the unix socket. */
import { connectSocket } from '../packages/client/src/node/socket-transport.ts';
import { sleep } from '../packages/client/src/node/sleep.ts';
import { homeFrom } from '@spool/protocol';
import { daemonWorld, TestDaemon } from '@spool/testkit';
import { type TransportWorld, transportContract } from '@spool/testkit/transport-contract';

transportContract('unix socket', async (): Promise<TransportWorld> => {
  const daemon = new TestDaemon();
  const { socket } = homeFrom(daemon.env, process.getuid!());
  let ids = 0;
  const runtime = {
    dial: () => connectSocket(socket),
    sleep,
    now: () => performance.now(),
    randomId: () => `r${String(++ids).padStart(9, '0')}`,
  };
  return await daemonWorld(daemon, runtime, () => daemon[Symbol.asyncDispose]());
});
