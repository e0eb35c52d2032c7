import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type DaemonRecord, doorsFolder, type Home } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayProcess } from './gateway-process.ts';

const children = (): string =>
  readdirSync('/proc/self/task')
    .map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'))
    .join('');

test('[DOOR-10] what another daemon was asked for is not continued: after `daemon stop` no port opens by itself', () => {
  const state = mkdtempSync(`${tmpdir()}/spool-gateway-`);
  onTestFinished(() => rmSync(state, { recursive: true }));
  const home = { state } as Home;
  mkdirSync(doorsFolder(home));
  const options = { port: 1 };
  writeFileSync(`${doorsFolder(home)}/gateway.json`, JSON.stringify({ daemonStartedAt: 1000, options }));
  const gateway = new GatewayProcess({
    watch: {} as never,
    log: { fd: 2, say: () => {} } as never,
    daemon: () => ({ startedAt: 2000, home }) as DaemonRecord,
    doorFd: () => null,
    keepDoor: () => expect.unreachable(),
    program: () => expect.unreachable(),
  });
  const before = children();
  expect(() => gateway.resume()).not.toThrow();
  expect(children()).toBe(before);
});
