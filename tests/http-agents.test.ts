/** Tests agents that serve HTTP, through the bridge: a scripted one (`packages/testkit/programs/scripted-server.mjs`). */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { isAlive, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const SERVER = fileURLToPath(new URL('../packages/testkit/programs/scripted-server.mjs', import.meta.url));
const PATIENCE_MS = 60_000;

interface PeerLogLine {
  readonly password?: string;
  readonly port?: number;
  readonly pid?: number;
  readonly call?: string;
  readonly body?: { readonly reply?: string };
}

class HttpAgent implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly client: Client;
  readonly agent: AgentHandle;

  private constructor(daemon: TestDaemon, client: Client, agent: AgentHandle) {
    this.daemon = daemon;
    this.client = client;
    this.agent = agent;
  }

  static async start(options: { resume?: string; program?: readonly string[] } = {}): Promise<HttpAgent> {
    const daemon = new TestDaemon();
    const client = await daemon.client();
    try {
      const agent = await client.agent('opencode', {
        program: [process.execPath, SERVER],
        ...options,
        cwd: daemon.home,
        env: { PATH: process.env.PATH!, SCRIPTED_LOG: `${daemon.home}-agent.ndjson`, NODE_OPTIONS: '--no-warnings' },
      });
      return new HttpAgent(daemon, client, agent);
    } catch (error) {
      await daemon[Symbol.asyncDispose]();
      throw error;
    }
  }

  get logged(): PeerLogLine[] {
    const file = `${this.daemon.home}-agent.ndjson`;
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as PeerLogLine);
  }

  /** Returns all events so far. */
  async events(): Promise<AgentEvent[]> {
    const events: AgentEvent[] = [];
    for await (const item of this.client.watchEvents(this.agent.id)) {
      if (item.type === 'synced' || item.type === 'exit') break;
      if (item.type === 'event') events.push(item.event);
    }
    return events;
  }

  /** Returns the events of the turn of this prompt. */
  async turn(prompt: string, { answering = false } = {}): Promise<AgentEvent[]> {
    const { id } = await this.agent.prompt(prompt);
    let turn: AgentEvent[] = [];
    await until(
      `the turn of ${prompt} has ended`,
      async () => {
        if (answering) for (const ask of await this.agent.requests()) await this.agent.approve(ask);
        const events = await this.events();
        const from = events.findIndex(
          (event) => event.kind === 'turn.started' && event.clientIds?.includes(id) === true,
        );
        const to = events.findIndex((event, at) => at > from && event.kind === 'turn.ended');
        turn = from < 0 || to < 0 ? [] : events.slice(from, to + 1);
        return turn.length > 0;
      },
      PATIENCE_MS,
    );
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(`${this.daemon.home}-agent.ndjson`, { force: true });
  }
}

const of = <K extends AgentEvent['kind']>(events: readonly AgentEvent[], kind: K): Extract<AgentEvent, { kind: K }>[] =>
  events.filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);

test('[HTTP-1] the password and the port of an agent are in no command line, log or event, also when a tool prints them', async () => {
  await using run = await HttpAgent.start();
  const turn = await run.turn('secret');
  expect(of(turn, 'tool.ended')).toMatchObject([{ output: [{ text: 'PASSWORD=***' }] }]);
  const [{ password = '', port = 0, pid = 0 } = {}] = run.logged;
  expect(password.length).toBeGreaterThan(40);
  expect(port).toBeGreaterThan(0);
  for (const file of filesIn(run.daemon.home)) {
    const text = readFileSync(file, 'latin1');
    expect([file, text.includes(password), text.includes(`127.0.0.1:${port}`)]).toEqual([file, false, false]);
  }
  for (const each of [pid, ...run.daemon.processes()])
    expect(readFileSync(`/proc/${each}/cmdline`, 'latin1')).not.toContain(password);
  expect((await fetch(`http://127.0.0.1:${port}/session/status`)).status).toBe(401);
  expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).toContain('NODE_OPTIONS=--no-warnings');
});

test('[HTTP-1] an agent dies with its bridge, and the session says how the agent ended', async () => {
  await using run = await HttpAgent.start();
  await run.turn('say hello');
  const [{ pid = 0 } = {}] = run.logged;
  const bridge = (await run.client.get(run.agent.id)).pid!;
  expect(bridge).not.toBe(pid);
  process.kill(bridge, 'SIGKILL');
  await until('the agent is gone', () => !isAlive(pid), PATIENCE_MS);
  await until('its end is told', async () => of(await run.events(), 'session.ended').length > 0, PATIENCE_MS);
  expect(of(await run.events(), 'session.ended')).toMatchObject([{ signal: 'SIGKILL' }]);
});

test('[HTTP-1] the exit code of an agent is that of its session; one that does not exist is refused at once', async () => {
  await using run = await HttpAgent.start();
  await run.turn('die');
  expect(await run.client.wait(run.agent.id)).toMatchObject({ exitCode: 7 });
  await expect(HttpAgent.start({ program: ['no-such-agent-at-all'] })).rejects.toThrow(/no-such-agent-at-all/);
});

test('[HTTP-3] an agent whose input ends finishes its turn, and leaves no process', async () => {
  await using run = await HttpAgent.start();
  await run.agent.prompt('slow');
  await until('it works', async () => of(await run.events(), 'turn.started').length > 0, PATIENCE_MS);
  await run.agent.close();
  expect(await run.client.wait(run.agent.id)).toMatchObject({ exitCode: 0 });
  const events: AgentEvent[] = [];
  for await (const event of run.agent) events.push(event); // up to the end
  expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
  expect(of(events, 'message.done')).toMatchObject([{ text: 'slow is done' }]);
  const [{ pid = 0 } = {}] = run.logged;
  await until('the agent is gone', () => !isAlive(pid), PATIENCE_MS);
});

test('[HTTP-2] what an agent did while its connection was lost is read from its record: nothing lost, nothing doubled', async () => {
  await using run = await HttpAgent.start();
  const cut = await run.turn('gap The whole text of it');
  expect(of(cut, 'message.done')).toMatchObject([{ text: 'The whole text of it' }]);
  expect(
    of(cut, 'message.delta')
      .map(({ text }) => text)
      .join(''),
  ).toBe('The whole text of it');
  expect(of(cut, 'tool.started')).toHaveLength(1);
  expect(of(cut, 'tool.ended')).toMatchObject([{ status: 'ok', output: [{ text: 'made' }] }]);
  expect(of(cut, 'plan.updated')).toMatchObject([{ entries: [{ text: 'later' }] }]);
  expect(of(cut, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);

  const unseen = await run.turn('gap-all');
  expect(of(unseen, 'message.done')).toMatchObject([{ text: 'gap-all is done' }]);
  expect(of(unseen, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);

  const asked = await run.turn('gap-ask', { answering: true });
  expect(of(asked, 'permission.requested')).toMatchObject([{ title: 'touch b' }]);
  expect(of(asked, 'permission.resolved')).toMatchObject([{ decision: 'allow' }]);
  expect(of(asked, 'tool.ended')).toMatchObject([{ status: 'ok' }]);

  const replied = await run.turn('gap-reply', { answering: true });
  expect(of(replied, 'permission.resolved')).toMatchObject([{ decision: 'allow' }]);
  expect(of(replied, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
  expect(run.logged.filter(({ call }) => call?.includes('/prompt_async'))).toHaveLength(4);

  const { texts } = textsOf(await run.turn('say and on'));
  expect(texts).toEqual(['and on']);
  expect(of(await run.events(), 'raw')).toEqual([]);
});

test('[HTTP-41] a prompt while the agent refuses connections for a while is made once it takes them, and only once', async () => {
  await using run = await HttpAgent.start();
  expect(textsOf(await run.turn('leave')).texts).toEqual(['leave is done']);
  expect(textsOf(await run.turn('say next')).texts).toEqual(['next']);
  expect(run.logged.filter(({ call }) => call?.includes('/prompt_async'))).toHaveLength(2);
});

test('[HTTP-2] an agent that fails before it works ends its turn once, and takes the next prompt', async () => {
  await using run = await HttpAgent.start();
  const failed = await run.turn('fail');
  expect(of(failed, 'turn.ended')).toMatchObject([{ outcome: 'failed', error: { message: 'No such agent' } }]);
  expect(textsOf(await run.turn('say again')).texts).toEqual(['again']);
  expect(of(await run.events(), 'fault')).toHaveLength(1);
});

test('[HTTP-40, EVT-1] a pending permission of an agent that serves HTTP survives driver and keeper, and is answered once', async () => {
  await using run = await HttpAgent.start();
  await run.agent.prompt('ask');
  await until('it asks', async () => (await run.agent.requests()).length === 1, PATIENCE_MS);
  for (const pid of run.daemon.processes().filter(isDriver)) process.kill(pid, 'SIGKILL');
  process.kill((await run.client.status()).keeper.pid, 'SIGKILL');
  const [ask] = await run.agent.requests();
  expect(await run.agent.approve(ask!)).toMatchObject({ isOurs: true });
  await until('it is done', async () => of(await run.events(), 'turn.ended').length === 1, PATIENCE_MS);
  const events = await run.events();
  expect(of(events, 'permission.resolved')).toHaveLength(1);
  expect(of(events, 'tool.ended')).toMatchObject([{ status: 'ok' }]);
  expect(run.logged.filter(({ call }) => call?.endsWith('/reply'))).toMatchObject([{ body: { reply: 'once' } }]);
});

test('[EVT-40] an agent that serves HTTP and was killed is resumed through a bridge of its own', async () => {
  await using run = await HttpAgent.start();
  await run.turn('say hello');
  process.kill(run.logged[0]!.pid!, 'SIGKILL');
  await until('its end is told', async () => of(await run.events(), 'session.ended').length > 0, PATIENCE_MS);
  expect(of(await run.events(), 'session.ended')).toMatchObject([{ signal: 'SIGKILL', agentSession: 'ses_scripted' }]);
  const env = { PATH: process.env.PATH!, SCRIPTED_LOG: `${run.daemon.home}-agent.ndjson` };
  const next = await run.client.resumeAgent(run.agent.id, { prompt: 'say again', env });
  const said: string[] = [];
  for await (const event of next) {
    if (event.kind === 'message.done') said.push(event.text);
    if (event.kind === 'turn.ended') break;
  }
  expect(said).toEqual(['again']);
  expect(run.logged.map(({ call }) => call)).toContain('GET /session/ses_scripted');
});

test("[HTTP-2] an agent's own session is gone on with", async () => {
  await using run = await HttpAgent.start({ resume: 'ses_scripted' });
  expect(textsOf(await run.turn('say hello')).texts).toEqual(['hello']);
  const calls = run.logged.map(({ call }) => call);
  expect(calls).toContain('GET /session/ses_scripted');
  expect(calls).not.toContain('POST /session');
  expect(of(await run.events(), 'session.started')).toMatchObject([{ agentSession: 'ses_scripted' }]);
});

function isDriver(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('spool-driver');
}

function textsOf(events: readonly AgentEvent[]): { texts: string[] } {
  return { texts: of(events, 'message.done').map(({ text }) => text) };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(path) && statSync(path).isFile());
}
