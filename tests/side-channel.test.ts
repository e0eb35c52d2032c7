/** Tests Codex with its own server: `spool-beside` is executed, with a program of the same process shape (`scripted-codex.mjs`). */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { isAlive, seen, statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../packages/testkit/programs/scripted-codex.mjs', import.meta.url));
const GONE_MS_MAX = 30_000;

interface ProcessNote {
  readonly session: string;
  readonly role: 'terminal' | 'server' | 'command';
  readonly pid: number;
}

/** A folder with a program named codex, and sessions that run it. */
class Codex {
  readonly #folder = mkdtempSync(`${tmpdir()}/spool-codex-`);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
    writeFileSync(`${this.#folder}/codex`, `#!/bin/sh\nexec ${process.execPath} ${SCRIPT} "$@"\n`);
    chmodSync(`${this.#folder}/codex`, 0o755);
  }

  async start(behaviour?: string): Promise<string> {
    const env = {
      PATH: `${this.#folder}:${process.env.PATH}`,
      SCRIPTED_LOG: `${this.#folder}/log`,
      ...(behaviour !== undefined && { SCRIPTED_SERVER: behaviour }),
    };
    const { id } = await this.#client.run({ command: ['codex', 'say hello'], size: { cols: 200, rows: 24 }, env });
    await seen(this.#client, id, 'started as');
    return id;
  }

  pid(session: string, role: ProcessNote['role']): number {
    const lines = readFileSync(`${this.#folder}/log`, 'utf8').trim().split('\n');
    return lines
      .map((line) => JSON.parse(line) as ProcessNote)
      .find((each) => each.session === session && each.role === role)!.pid;
  }

  /** The pids of the server, of the server's command, and of the process that guards the server. */
  pids(session: string): { readonly server: number; readonly command: number; readonly guard: number } {
    const server = this.pid(session, 'server');
    return { server, command: this.pid(session, 'command'), guard: Number(statusField(server, 'PPid')) };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const allAlive = (pids: object): boolean => Object.values(pids).every((pid) => isAlive(pid as number));
const allGone = (pids: object): boolean => !Object.values(pids).some((pid) => isAlive(pid as number));

test('[RUN-27] each Codex has a server of its own, and the end of one session leaves the server and the command of another', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using codex = new Codex(client);
  const first = await codex.start();
  const second = await codex.start();
  const [one, other] = [codex.pids(first), codex.pids(second)];
  expect(allAlive(one) && allAlive(other)).toBe(true);
  expect(new Set([...Object.values(one), ...Object.values(other)]).size).toBe(6);
  const { sideChannel } = await client.explain(first);
  expect(sideChannel).toEqual({
    agent: 'codex',
    version: '0.169.0',
    socket: expect.stringContaining(first),
    hasEvents: true,
    why: null,
  });
  expect(await seen(client, first, 'started as')).toContain(
    `started as ["--remote","unix://${sideChannel!.socket}","say hello"]`,
  );
  // The terminal program itself is the session's child, and the list has what was typed.
  expect(await client.get(first)).toMatchObject({
    pid: codex.pid(first, 'terminal'),
    command: ['codex', 'say hello'],
  });
  expect((await daemon.spool(['stop', first])).code).toBe(0);
  await until('its server is gone', () => allGone(one), GONE_MS_MAX);
  await until('its socket is gone', () => !existsSync(dirname(sideChannel!.socket!)), GONE_MS_MAX);
  expect(allAlive(other)).toBe(true);
  expect((await client.explain(second)).sideChannel).toMatchObject({ why: null });
  await client.write(second, '7\r');
  expect(await client.wait(second)).toMatchObject({ exitCode: 7 });
  await until('the other server has ended too', () => allGone(other), GONE_MS_MAX);
});

test('[RUN-28] a server ends with its terminal program, also when that, or its guard, was killed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using codex = new Codex(client);
  const crashed = await codex.start();
  const killed = codex.pids(crashed);
  process.kill(codex.pid(crashed, 'terminal'), 'SIGKILL');
  await until('server, command and guard are gone', () => allGone(killed), GONE_MS_MAX);

  const unguarded = await codex.start();
  const { server, guard } = codex.pids(unguarded);
  process.kill(guard, 'SIGKILL');
  await until('the server is gone', () => !isAlive(server), GONE_MS_MAX);
  expect(await client.get(unguarded)).toMatchObject({ state: 'running' });
});

test('[RUN-28] a server and a command that ignore SIGTERM are killed when their terminal program has ended', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using codex = new Codex(client);
  const session = await codex.start('stubborn');
  const pids = codex.pids(session);
  await client.write(session, '0\r');
  expect(await client.wait(session)).toMatchObject({ exitCode: 0 });
  await until('server, command and guard are gone', () => allGone(pids), GONE_MS_MAX);
});

test.each([
  ['does not listen', 'deaf', /did not accept connections within 10000 ms/],
  ['ends at once', 'dies', /it ended with 3: no server today/],
])('[RUN-27] with a server that %s, Codex runs as typed, and `explain` says why', async (_name, behaviour, why) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  using codex = new Codex(client);
  const session = await codex.start(behaviour);
  expect(await seen(client, session, 'started as')).toContain('started as ["say hello"]');
  expect((await client.explain(session)).sideChannel).toMatchObject({ socket: null, why: expect.stringMatching(why) });
  expect((await daemon.spool(['explain', session])).stdout).toMatch(why);
  if (behaviour === 'deaf')
    await until('its server is gone', () => !isAlive(codex.pid(session, 'server')), GONE_MS_MAX);
  expect((await client.get(session)).pid).toBe(codex.pid(session, 'terminal'));
});
