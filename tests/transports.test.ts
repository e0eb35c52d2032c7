/**
 * Runs the transport contract with real daemons: over the unix socket, over a WebSocket through the gateway, and through the gateway of
 * another machine to a node.
 */
import { gatewayAddress, remoteRuntime } from '@spool/client/remote';
import { homeFrom } from '@spool/protocol';
import { daemonWorld, TestDaemon } from '@spool/testkit';
import { type TransportWorld, transportContract } from '@spool/testkit/transport-contract';
import { sleep } from '../packages/client/src/node/sleep.ts';
import { connectSocket } from '../packages/client/src/node/socket-transport.ts';
import { nodeRuntime } from '@spool/client/nodes';
import { TestGateway } from './support/gateway.ts';
import { TwoMachines } from './support/nodes.ts';

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

transportContract('join', async (): Promise<TransportWorld> => {
  const machines = await TwoMachines.start();
  const runtime = nodeRuntime('build1', { env: machines.primary.env });
  return await daemonWorld(machines.node, runtime, () => machines[Symbol.asyncDispose]());
});
