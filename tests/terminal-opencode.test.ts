/**
 * Tests the side channel of OpenCode in its own terminal: the real program, beside a scripted model, in a separate network. The tests
 * run if `node scripts/agents.mjs opencode` has downloaded it. `SPOOL_RACES` raises the number of requests that both sides answer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@spool/testkit';
import { AGAIN, AGENTS } from '@spool/testkit/agents';
import { expect, test } from 'vitest';
import { missing, OfflineDaemon, STEP_MS_MAX, TerminalAgent } from './support/terminal-agent.ts';

const OPENCODE = AGENTS.find(({ name }) => name === 'opencode')!;
/** OpenCode asks for nothing by itself. */
const SETTINGS = { permission: { bash: 'ask' } };
const DIALOG = 'Allow once';
/** The key for this answer. */
const ENTER = '\r';
const RACES = Number(process.env.SPOOL_RACES ?? 4);
/** A key is faster than a client: with these delays each is sometimes the first. */
const KEY_AFTER_MS = [0, 10, 20, 40];
const FILES = ['by-client', 'by-key', 'refused', 'after-driver', 'after-keeper'];

/** The only file that has the password. */
const SECRET = 'channel/relay.json';

interface RelayFile {
  readonly port: number;
  readonly password: string;
}

/** A message of OpenCode's own record. */
interface RecordedMessage {
  readonly info: { readonly role: string };
  readonly parts: readonly RecordedPart[];
}

interface RecordedPart {
  readonly type: string;
  readonly text?: string;
  readonly callID?: string;
  readonly state?: { readonly status: string; readonly input: unknown; readonly output?: string };
}

test(
  '[CHAN-1, CHAN-3, CHAN-4, CHAN-5, CHAN-6, CHAN-32] OpenCode, the real one, in its terminal: answered by a client, by a key, after kills, and by both',
  AGAIN,
  async ({ skip }) => {
    const reason = missing(OPENCODE);
    skip(reason !== null, reason ?? '');
    await using daemon = new OfflineDaemon();
    const client = await daemon.start();
    using opencode = new TerminalAgent({ agent: OPENCODE, client, words: [], dialog: DIALOG, settings: SETTINGS });
    const before = opencode.home.files();
    await opencode.start();
    const { id, home } = opencode;
    expect((await client.explain(id)).sideChannel).toMatchObject({ hasEvents: true, why: null });

    await opencode.prompt(`please run ${FILES.map((name) => `touch ${name}; echo made ${name}`).join(' >> ')}`);
    const first = await opencode.asked('by-client');
    const { typed } = await client.get(id);
    expect(await daemon.spool(['approve', id, '--request', first])).toMatchObject({ code: 0 });

    await opencode.asked('by-key');
    expect((await client.get(id)).typed).toEqual(typed); // no key was pressed
    await client.write(id, ENTER);

    const third = await opencode.asked('refused');
    expect(await daemon.spool(['deny', id, '--request', third, '--message', 'not now'])).toMatchObject({ code: 0 });

    const fourth = await opencode.asked('after-driver');
    await opencode.killDriver();
    expect(await daemon.spool(['approve', id, '--request', fourth])).toMatchObject({ code: 0 });

    const fifth = await opencode.asked('after-keeper');
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('the next keeper knows the request', async () => (await opencode.request()) === fifth, STEP_MS_MAX);
    expect(await daemon.spool(['approve', id, '--request', fifth])).toMatchObject({ code: 0 });
    await opencode.rests(1);
    expect(FILES.filter((name) => !opencode.made(name))).toEqual(['refused']);
    expect(await opencode.decisions()).toEqual([
      ['allow', 'watcher'],
      ['allow', 'terminal'],
      ['deny', 'watcher'],
      ['allow', 'watcher'],
      ['allow', 'watcher'],
    ]);

    // Both sides answer at once: one answer counts, and the author of the other one learns it.
    await opencode.prompt(`please run ${Array.from({ length: RACES }, (_, at) => `touch race${at}`).join(' >> ')}`);
    const agent = await client.openAgent(id);
    for (let at = 0; at < RACES; at++) {
      await opencode.asked(`race${at}`);
      const [open] = await agent.requests();
      const isDenied = at % 3 === 2;
      const [decided] = await Promise.all([
        isDenied ? agent.deny(open!, { message: 'not this one' }) : agent.approve(open!),
        sleep(KEY_AFTER_MS[at % KEY_AFTER_MS.length]).then(() => client.write(id, ENTER)),
      ]);
      const { decision, by } = decided.outcome as { decision: string; by: string };
      expect([decided.isOurs, decision]).toEqual([by === 'watcher', by === 'watcher' && isDenied ? 'deny' : 'allow']);
      await until(
        'the record shows it',
        async () => (await opencode.of('tool.ended')).some(({ tool }) => tool === open!.tool),
        STEP_MS_MAX,
      );
      expect(opencode.made(`race${at}`)).toBe(decision === 'allow');
    }
    await opencode.rests(2);
    expect(await opencode.of('permission.resolved')).toHaveLength(FILES.length + RACES);

    const events = await opencode.events();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    const folder = `${daemon.env['SPOOL_HOME']}/sessions/${id}`;
    const { port, password } = JSON.parse(readFileSync(`${folder}/${SECRET}`, 'utf8')) as RelayFile;
    const agentSession = (await opencode.of('session.started')).at(-1)!.agentSession!;
    const messages = JSON.parse(
      await daemon.inNetwork(
        `"${process.execPath}" -e '${getScript(port, password, `/session/${agentSession}/message`)}'`,
      ),
    ) as RecordedMessage[];
    const texts = (role: string): unknown[] =>
      messages.flatMap(({ info, parts }) =>
        info.role === role ? parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])) : [],
      );
    expect((await opencode.of('message.done')).map(({ text }) => text)).toEqual(texts('assistant'));
    expect(
      (await opencode.of('prompt')).map(({ content }) =>
        content?.map((part) => (part.type === 'text' ? part.text : '')),
      ),
    ).toEqual(texts('user').map((text) => [text]));
    const inputs = new Map<string, unknown>();
    for (const { tool, input } of [...(await opencode.of('tool.started')), ...(await opencode.of('tool.input'))])
      if (input !== undefined) inputs.set(tool, input);
    const tools = (await opencode.of('tool.ended')).map(({ tool, status, output }) => [
      tool,
      inputs.get(tool),
      status === 'ok' ? (output ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('') : status,
    ]);
    expect(tools).toEqual(
      messages.flatMap(({ parts }) =>
        parts.flatMap(({ type, callID, state }) =>
          type === 'tool' ? [[callID, state!.input, state!.status === 'completed' ? state!.output : 'denied']] : [],
        ),
      ),
    );

    const isOwn = (file: string): boolean =>
      /^\/(?:\.config\/opencode|\.local\/(?:share|state)\/opencode|\.cache\/opencode|tmp|project)\//.test(file);
    expect(home.files().filter((file) => !before.includes(file) && !isOwn(file))).toEqual([]);
    expect(holding(password, daemon.env['SPOOL_HOME']!)).toEqual([`sessions/${id}/${SECRET}`]);
    expect(holding(password, home.env['HOME']!)).toEqual([]);
    expect(commandLines().filter((line) => line.includes(password))).toEqual([]);
    expect(commandLines().some((line) => line.includes(`--port\0${port}\0`))).toBe(true);
  },
);

/** Returns a program that prints the answer of OpenCode's server. */
const getScript = (port: number, password: string, path: string): string =>
  `fetch("http://127.0.0.1:${port}${path}",{headers:{authorization:"Basic "+btoa("opencode:${password}")}}).then((a)=>a.text()).then((t)=>console.log(t))`;

/** Returns the files in a folder that contain this text. */
function holding(text: string, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => `${parentPath}/${name}`);
  return paths.filter((path) => readFileSync(path).includes(text)).map((path) => path.slice(folder.length + 1));
}

/** Returns the command line of each process, its words ended by NUL. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        return []; // gone meanwhile
      }
    });
}
