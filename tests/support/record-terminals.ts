/**
 * `node_modules/.bin/node tests/support/record-terminals.ts FOLDER [NAME…]` records agents in their terminals: the lines of their side
 * channels, and the record that each agent keeps about itself. With `pack` as the only name, the recordings of FOLDER become the
 * fixture of `packages/drivers/src/terminal-runs.test.ts`, which compares the two. `SPOOL_AGENTS` names a folder with other versions.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type { AgentHandle, Client } from '@spool/client';
import type { AgentEvent } from '@spool/protocol/agent';
import { until } from '@spool/testkit';
import { AGENTS } from '@spool/testkit/agents';
import { OfflineDaemon, STEP_MS_MAX, TerminalAgent } from './terminal-agent.ts';

const ESCAPE = '\u{1b}';
const CTRL_C = '\u{3}';
const STILL_MS = 1500;
const LONG = 'please run touch long; seq 1 3000';
const LINES = { old_string: 'second line', new_string: 'another line' };
const QUESTIONS = ['Which colour?', 'Which size?'].map((question, at) => ({
  question,
  header: `Part ${at}`,
  multiSelect: at === 1,
  options: ['First', 'Second'].map((label) => ({ label, description: `The ${label.toLowerCase()} one` })),
}));

type Scene = (run: RunRecorder) => Promise<void>;

interface Plan {
  readonly agent: string;
  readonly words?: readonly string[];
  readonly settings?: object;
  readonly scenes: Readonly<Record<string, Scene>>;
}

/** The text of a dialog does not matter here: requests are known by their events. */
const ANY_DIALOG = ' ';

/** One run of an agent, which a scene drives. */
class RunRecorder {
  readonly #client: Client;
  readonly #terminal: TerminalAgent;
  readonly daemon: OfflineDaemon;
  #turns = 0;

  constructor(client: Client, terminal: TerminalAgent, daemon: OfflineDaemon) {
    this.#client = client;
    this.#terminal = terminal;
    this.daemon = daemon;
  }

  get id(): string {
    return this.#terminal.id;
  }

  get home(): TerminalAgent['home'] {
    return this.#terminal.home;
  }

  async start(): Promise<void> {
    await this.#terminal.start();
    await sleep(STILL_MS);
  }

  async prompt(text: string): Promise<void> {
    await this.#terminal.prompt(text);
  }

  /** Resolves when one more turn has ended. */
  async rests(): Promise<void> {
    this.#turns++;
    const ended = async (): Promise<boolean> => (await this.#terminal.of('turn.ended')).length >= this.#turns;
    await until(`turn ${this.#turns} has ended`, ended, STEP_MS_MAX);
    this.#turns = (await this.#terminal.of('turn.ended')).length;
    const isIdle = async (): Promise<boolean> => (await this.#client.get(this.id)).status.state === 'idle';
    await until('it is idle', isIdle, STEP_MS_MAX);
    await sleep(STILL_MS);
  }

  async says(text: string): Promise<void> {
    await this.prompt(text);
    await this.rests();
  }

  /** Sends a command of the agent's own terminal. */
  async slash(text: string): Promise<void> {
    await this.#client.write(this.id, text);
    await sleep(STILL_MS);
    await this.#client.write(this.id, '\r');
    await sleep(2 * STILL_MS);
  }

  async key(text: string): Promise<void> {
    await this.#client.write(this.id, text);
  }

  async sees(kind: AgentEvent['kind'], text = ''): Promise<void> {
    const isThere = async (): Promise<boolean> =>
      (await this.#terminal.events()).some((event) => event.kind === kind && JSON.stringify(event).includes(text));
    await until(`there is ${kind} ${text}`, isThere, STEP_MS_MAX);
  }

  async answers(answer: (agent: AgentHandle, open: never) => Promise<unknown>): Promise<void> {
    await this.#terminal.asked();
    const agent = await this.#client.openAgent(this.id);
    const [open] = await agent.requests();
    await answer(agent, open as never);
  }

  approves(): Promise<void> {
    return this.answers((agent, open) => agent.approve(open));
  }

  denies(message?: string): Promise<void> {
    return this.answers((agent, open) => agent.deny(open, message === undefined ? {} : { message }));
  }

  events(): Promise<AgentEvent[]> {
    return this.#terminal.events();
  }
}

const write: Scene = async (run) => {
  await run.prompt('please write new.txt');
  await run.approves();
  await run.rests();
};
const runs =
  (text: string, ...answers: ('yes' | 'no')[]): Scene =>
  async (run) => {
    await run.prompt(text);
    for (const answer of answers) await (answer === 'yes' ? run.approves() : run.denies('not this one'));
    await run.rests();
  };
const interruptBy =
  (...keys: readonly string[]): Scene =>
  async (run) => {
    await run.prompt('please wait');
    await sleep(4 * STILL_MS);
    for (const key of keys) {
      await run.key(key);
      await sleep(STILL_MS);
    }
    await run.rests();
    await run.says('please say it goes on');
  };
const interrupt = interruptBy(ESCAPE, ESCAPE);
const retry =
  (status: number): Scene =>
  (run) =>
    run.says(`please fail ${status}`);
const think: Scene = async (run) => {
  await run.says('please think');
  await run.says('please say a second thing\nin two lines');
};
const slash =
  (text: string): Scene =>
  async (run) => {
    await run.says('please say one');
    await run.slash(text);
    await run.says('please say two');
  };
/** A resumed conversation: the first run is not recorded. */
const resume =
  (quit: Scene): Scene =>
  async (run) => {
    await run.says('please say it resumes');
    await quit(run);
  };

const PLANS: readonly Plan[] = [
  {
    agent: 'claude',
    words: ['--permission-mode', 'manual'],
    scenes: {
      write,
      edit: async (run) => {
        const path = `${run.home.project}/old.txt`;
        writeFileSync(path, 'first line\nsecond line\nthird line\n');
        await run.says(`please call Read ${JSON.stringify({ file_path: path })}`);
        await run.prompt(`please call Edit ${JSON.stringify({ file_path: path, ...LINES })}`);
        await run.approves();
        await run.rests();
      },
      denied: runs('please run touch refused', 'no'),
      'denied-in-terminal': async (run) => {
        await run.prompt('please run touch refused');
        await run.sees('permission.requested');
        await sleep(2 * STILL_MS);
        await run.key(ESCAPE);
        await run.rests();
      },
      'two-tools': runs('please run echo one; touch one ;; echo two; touch two', 'yes', 'yes'),
      'two-questions': async (run) => {
        await run.prompt(`please call AskUserQuestion ${JSON.stringify({ questions: QUESTIONS })}`);
        await run.answers((agent, open: { questions: { id: string; text: string }[] }) =>
          agent.answer(open as never, Object.fromEntries(open.questions.map(({ id }) => [id, 'First']))),
        );
        await run.rests();
      },
      subagent: async (run) => {
        const input = { description: 'A helper', prompt: 'please say I help', subagent_type: 'general-purpose' };
        await run.says(`please call Agent ${JSON.stringify(input)}`);
        await sleep(8 * STILL_MS);
      },
      long: runs(LONG, 'yes'),
      compact: slash('/compact'),
      clear: slash('/clear'),
      interrupt,
      retry: retry(529),
      think,
      resumed: resume((run) => run.says('please recall')),
    },
  },
  {
    agent: 'codex',
    words: ['--disable', 'plugins', '--disable', 'apps'],
    scenes: {
      write: (run) => run.says('please write new.txt'),
      denied: runs('please run touch refused', 'no'),
      'two-tools': runs('please run echo one; touch one ;; echo two; touch two', 'yes', 'yes'),
      long: runs(LONG, 'yes'),
      compact: slash('/compact'),
      clear: slash('/new'),
      interrupt,
      retry: retry(500),
      think,
    },
  },
  {
    agent: 'opencode',
    settings: { permission: { bash: 'ask', edit: 'ask' } },
    scenes: {
      write,
      denied: runs('please run touch refused', 'no'),
      'two-tools': runs('please run echo one; touch one ;; echo two; touch two', 'yes', 'yes'),
      long: runs(LONG, 'yes'),
      clear: slash('/new'),
      interrupt,
      retry: retry(500),
      think,
    },
  },
  {
    agent: 'grok',
    scenes: {
      write,
      denied: runs('please run for x in 1; do touch refused; done', 'no'),
      long: runs('please run for x in 1; do touch long; seq 1 3000; done', 'yes'),
      clear: slash('/new'),
      interrupt: interruptBy(CTRL_C),
      retry: retry(500),
      think,
      resumed: resume((run) => run.says('please recall')),
    },
  },
];

const FIXTURE = fileURLToPath(
  new URL('../../packages/drivers/src/testing/fixtures/terminal-runs.json.br', import.meta.url),
);
/** The names of homes in other paths: Grok escapes the slashes. */
const HOME_NAMES = /spool-test-agent-\w{6}/g;

const [folder = '', ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
if (names[0] === 'pack') pack();
else
  for (const { agent: name, words = [], settings = {}, scenes } of PLANS)
    for (const [scene, play] of Object.entries(scenes)) {
      const title = `${name}-${scene}`;
      if (names.length === 0 || names.includes(title) || names.includes(name))
        await record(title, { agent: name, words, settings, scenes }, play);
    }

/** Writes the fixture: of the agents' files, only the lines that are compared. */
function pack(): void {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.includes('.failed.'));
  const runs = files.toSorted().map((name) => {
    const { kinds: _kinds, ...run } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Record<string, unknown>;
    const record = Object.entries(run['record'] as Record<string, unknown[]>)
      .filter(([file]) => !file.startsWith('.grok') || file.endsWith('/chat_history.jsonl'))
      .map(([file, lines]) => [file, lines.filter((line) => isCompared(file, line as RecordedLine))]);
    return [name.slice(0, -'.json'.length), { ...run, record: Object.fromEntries(record) as unknown }];
  });
  const text = JSON.stringify(Object.fromEntries(runs)).replaceAll(HOME_NAMES, 'home');
  writeFileSync(FIXTURE, brotliCompressSync(text));
  process.stdout.write(`${runs.length} runs, ${text.length} characters\n`);
}

interface RecordedLine {
  readonly type?: string;
  readonly payload?: { readonly type?: string };
}

function isCompared(file: string, { type = '', payload }: RecordedLine): boolean {
  if (file.startsWith('.claude')) return ['user', 'assistant', 'system'].includes(type);
  if (file.startsWith('.codex')) return ['item_completed', 'function_call'].includes(payload?.type ?? '');
  return type !== 'system';
}

async function record(title: string, { agent: name, words = [], settings = {} }: Plan, play: Scene): Promise<void> {
  const since = performance.now();
  const found = AGENTS.find((each) => each.name === name)!;
  const agent = name === 'claude' ? { ...found, ready: 'manual mode on' } : found;
  await using daemon = new OfflineDaemon();
  const client = await daemon.start();
  const isResumed = title.endsWith('-resumed');
  using terminal = new TerminalAgent({ agent, client, words: words, dialog: ANY_DIALOG, settings });
  const run = new RunRecorder(client, terminal, daemon);
  let failure = '';
  try {
    await run.start();
    if (isResumed) {
      await run.says('please say it began');
      await client.stop(run.id);
      const next = new TerminalAgent({
        agent,
        client,
        words: [...words, '-c'],
        dialog: ANY_DIALOG,
        home: terminal.home,
      });
      const again = new RunRecorder(client, next, daemon);
      await again.start();
      await play(again);
      await keep(title, again, name);
    } else {
      await play(run);
      await keep(title, run, name);
    }
  } catch (error) {
    failure = (error as Error).message;
    writeFileSync(`${folder}/${title}.failed.txt`, `${failure}\n${await terminal.text().catch(() => '')}`);
    await keep(`${title}.failed`, run, name).catch(() => {});
  }
  process.stdout.write(`${title}: ${Math.round((performance.now() - since) / 1000)} s ${failure}\n`);
}

async function keep(title: string, run: RunRecorder, agent: string): Promise<void> {
  const events = await run.events();
  const channel = readFileSync(`${run.daemon.home}/sessions/${run.id}/channel/lines`, 'utf8');
  const version = (await run.daemon.json<{ sideChannel: { version: string } }>('explain', run.id)).sideChannel.version;
  const recording = {
    version,
    answers: events.flatMap((event): object[] => {
      if (event.kind === 'permission.resolved' && event.by === 'watcher')
        return [{ request: event.request, do: 'permission', behavior: event.decision, message: event.message }];
      if (event.kind === 'question.resolved' && event.by === 'watcher')
        return [{ request: event.request, do: 'answer', answers: event.answers }];
      return [];
    }),
    kinds: events.map(({ kind }) => kind),
    lines: channel.split('\n').filter((line) => line !== ''),
    record: await ownRecord(run, agent, events),
  };
  const text = JSON.stringify(recording)
    .replaceAll(run.home.env['HOME']!, '/home/user')
    .replaceAll(run.home.env['HOME']!.slice(1), 'home/user')
    .replaceAll(run.home.env['HOME']!.replaceAll('/', '-'), '-home-user')
    .replaceAll(run.daemon.home, '/home/user/.spool');
  writeFileSync(`${folder}/${title}.json`, text);
}

/** Returns what the agent has recorded about itself: the lines of its files, by file; or its messages. */
async function ownRecord(run: RunRecorder, agent: string, events: readonly AgentEvent[]): Promise<unknown> {
  const home = run.home.env['HOME']!;
  if (agent === 'opencode') {
    const { port, password } = JSON.parse(
      readFileSync(`${run.daemon.home}/sessions/${run.id}/channel/relay.json`, 'utf8'),
    ) as { port: number; password: string };
    const sessions = events.flatMap((event) =>
      'agentSession' in event && event.agentSession ? [event.agentSession] : [],
    );
    const found: Record<string, unknown> = {};
    for (const session of new Set(sessions)) {
      const script = `fetch("http://127.0.0.1:${port}/session/${session}/message",{headers:{authorization:"Basic "+btoa("opencode:${password}")}}).then((a)=>a.text()).then((t)=>console.log(t))`;
      found[session] = JSON.parse(await run.daemon.inNetwork(`"${process.execPath}" -e '${script}'`));
    }
    return found;
  }
  const patterns: Readonly<Record<string, string>> = {
    claude: '.claude/projects/**/*.jsonl',
    codex: '.codex/sessions/**/*.jsonl',
    grok: '.grok/sessions/**/*.jsonl',
  };
  const files = globSync(`${home}/${patterns[agent]}`);
  return Object.fromEntries(
    files.map((file) => [
      file.slice(home.length + 1),
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown),
    ]),
  );
}
