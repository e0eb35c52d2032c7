/**
 * Runs the transport contract with real daemons: over the unix socket, over a WebSocket through the gateway, and through the gateway of
 * another machine to a node, over each road.
 */
import { gatewayAddress, remoteRuntime } from '@spool/client/remote';
import { homeFrom } from '@spool/protocol';
import { daemonWorld, SPOOL, TestDaemon } from '@spool/testkit';
import { missingProgram } from '@spool/testkit/needs';
import { type TransportWorld, transportContract } from '@spool/testkit/transport-contract';
import { sleep } from '../packages/client/src/node/sleep.ts';
import { connectSocket } from '../packages/client/src/node/socket-transport.ts';
import { askNodes, nodeRuntime } from '@spool/client/nodes';
import { TestGateway } from './support/gateway.ts';
import { FleetOfTwo, missingNats } from './support/nats.ts';
import { TwoMachines } from './support/nodes.ts';
import { TestSshd } from './support/sshd.ts';

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

transportContract('url', async (): Promise<TransportWorld> => {
  const machines = await TwoMachines.startByUrl();
  const runtime = nodeRuntime('build1', { env: machines.primary.env });
  return await daemonWorld(machines.node, runtime, () => machines[Symbol.asyncDispose]());
});

// Without sshd, tests/node-ssh.test.ts reports it.
if (missingProgram('sshd') === null)
  transportContract('ssh', async (): Promise<TransportWorld> => {
    const machines = new TwoMachines();
    const sshd = await TestSshd.start(machines.node.home, 'exec sh -c "$SSH_ORIGINAL_COMMAND"');
    sshd.usePackage(SPOOL);
    machines.primary.env['PATH'] = sshd.path;
    await askNodes('add', { url: 'ssh://box', name: 'build1' }, { env: machines.primary.env });
    const runtime = nodeRuntime('build1', { env: machines.primary.env });
    return await daemonWorld(machines.node, runtime, async () => {
      await machines[Symbol.asyncDispose]();
      await sshd[Symbol.asyncDispose]();
    });
  });

transportContract('join', async (): Promise<TransportWorld> => {
  const machines = await TwoMachines.start();
  const runtime = nodeRuntime('build1', { env: machines.primary.env });
  return await daemonWorld(machines.node, runtime, () => machines[Symbol.asyncDispose]());
});

// Without nats-server, tests/node-nats.test.ts reports it.
if (missingNats === null)
  transportContract('nats', async (): Promise<TransportWorld> => {
    const machines = await FleetOfTwo.begin('owner', '', '--role', 'owner');
    const runtime = nodeRuntime('build1', { env: machines.primary.env });
    return await daemonWorld(machines.node, runtime, () => machines[Symbol.asyncDispose]());
  });
