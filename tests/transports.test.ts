/** Runs the transport contract with real daemons: over the unix socket, and over a WebSocket through the gateway. */
import { gatewayAddress, remoteRuntime } from '@spool/client/remote';
import { homeFrom } from '@spool/protocol';
import { daemonWorld, TestDaemon } from '@spool/testkit';
import { type TransportWorld, transportContract } from '@spool/testkit/transport-contract';
import { sleep } from '../packages/client/src/node/sleep.ts';
import { connectSocket } from '../packages/client/src/node/socket-transport.ts';
import { TestGateway } from './support/gateway.ts';

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

transportContract('WebSocket', async (): Promise<TransportWorld> => {
  const daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('owner');
  const runtime = remoteRuntime(gatewayAddress(gateway.origin), token);
  return await daemonWorld(daemon, runtime, () => daemon[Symbol.asyncDispose]());
});
