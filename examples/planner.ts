/**
 * A planner: starts three scaffolds as tasks, shows a live line for each, and reports when all have finished. It uses only the
 * SDK, and runs on the Node of this clone (node_modules/.bin/node) or any Node from 24 on.
 *
 *   node examples/planner.ts                          three small scaffolds that need no network, in a temporary folder
 *   node examples/planner.ts web='npm create --yes vite@latest web -- --template vue --no-interactive' api='…'
 *                                                     your own, in the current folder
 *   node examples/planner.ts --resume FILE            takes over where another process was killed
 *
 * The handles of the tasks are plain data. They are written to a file (`--handles FILE`, default: planner.json in the folder of
 * the tasks) as soon as the tasks run. Any process that reads the file can wait for them: they belong to the daemon.
 */
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Client, connect, type TaskHandle, type TaskResult } from '@spool/client/node';

const SCAFFOLDS: Readonly<Record<string, string>> = {
  web: scaffold('web', ['package.json', 'index.html', 'src/main.ts', 'src/app.ts']),
  api: scaffold('api', ['package.json', 'src/server.ts', 'src/routes.ts']),
  docs: scaffold('docs', ['package.json', 'index.md', 'guide.md', 'api.md', 'theme.css']),
};

const TIMEOUT_SECONDS = 600;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { resume: { type: 'string' }, handles: { type: 'string' } },
});

async function main(): Promise<void> {
  await using client = await connect();
  const handles = values.resume === undefined ? await start(client) : read(values.resume);
  const results = await awaitAll(client, handles);
  for (const result of results) process.stdout.write(`${report(result)}\n`);
  process.exitCode = results.every(({ state }) => state === 'success') ? 0 : 1;
}

async function start(client: Client): Promise<readonly TaskHandle[]> {
  const isDemo = positionals.length === 0;
  const commands = isDemo ? Object.entries(SCAFFOLDS) : positionals.map(nameAndCommand);
  // A demo leaves no files in the current folder.
  const cwd = isDemo ? mkdtempSync(join(tmpdir(), 'planner-')) : process.cwd();
  const file = values.handles ?? (isDemo ? join(cwd, 'planner.json') : 'planner.json');
  const started = await Promise.all(
    commands.map(([taskName, command]) =>
      client.runShell(command, { pty: true, taskName, cwd, timeout: TIMEOUT_SECONDS }),
    ),
  );
  // Replaced in one step, so that no process reads half of it.
  writeFileSync(`${file}.new`, JSON.stringify(started));
  renameSync(`${file}.new`, file);
  process.stdout.write(`${started.length} tasks; their handles are in ${file}\n`);
  return started;
}

function read(file: string): readonly TaskHandle[] {
  const read = JSON.parse(readFileSync(file, 'utf8')) as readonly TaskHandle[];
  process.stdout.write(`taking over ${read.length} tasks from ${file}\n`);
  return read;
}

/** Shows the progress of the tasks until the last of them has finished. */
async function awaitAll(client: Client, handles: readonly TaskHandle[]): Promise<readonly TaskResult[]> {
  const status = new StatusLines(handles);
  const over = new AbortController();
  void tellMilestones(client, handles, status, over.signal);
  void tellOutput(client, handles, status, over.signal);
  const results = await Promise.all(
    handles.map(async (handle) => {
      const result = await client.waitForCompletion(handle);
      status.finish(handle.taskId, `${result.state}: ${result.reason}`);
      return result;
    }),
  );
  over.abort();
  status.stop();
  return results;
}

async function tellMilestones(
  client: Client,
  handles: readonly TaskHandle[],
  status: StatusLines,
  signal: AbortSignal,
): Promise<void> {
  const sessions = handles.map(({ taskId }) => taskId);
  try {
    for await (const event of client.events({ sessions, types: ['milestone'], signal }))
      if (event.type === 'milestone') status.say(event.id, event.title);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function tellOutput(
  client: Client,
  handles: readonly TaskHandle[],
  status: StatusLines,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of client.taskEvents({ tasks: handles, signal })) {
      if (event.type === 'task_started') status.started(event.taskId, event.startedAt);
      if (event.type === 'task_log') status.say(event.taskId, lastLine(event.chunk));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A line for each task: repainted on a terminal, printed when it changes elsewhere. */
class StatusLines {
  readonly #lines: Map<string, { readonly name: string; startedAt: number; says: string }>;
  readonly #finished = new Set<string>();
  readonly #timer: NodeJS.Timeout | undefined;
  #painted = 0;

  constructor(handles: readonly TaskHandle[]) {
    this.#lines = new Map(handles.map(({ taskId, name }) => [taskId, { name, startedAt: Date.now(), says: '' }]));
    if (process.stdout.isTTY) this.#timer = setInterval(() => this.#paint(), 100);
  }

  started(id: string, at: number): void {
    this.#lines.get(id)!.startedAt = at;
  }

  say(id: string, text: string): void {
    const line = this.#lines.get(id)!;
    if (text === '' || text === line.says || this.#finished.has(id)) return;
    line.says = text;
    if (!process.stdout.isTTY) process.stdout.write(`${this.#format(line)}\n`);
  }

  /** Sets the final text: output that arrives later does not replace it. */
  finish(id: string, text: string): void {
    this.say(id, text);
    this.#finished.add(id);
  }

  stop(): void {
    clearInterval(this.#timer);
    if (process.stdout.isTTY) this.#paint();
  }

  #paint(): void {
    const up = this.#painted > 0 ? `\x1b[${this.#painted}A` : '';
    const lines = [...this.#lines.values()].map((line) => `\r${this.#format(line)}\x1b[K\n`);
    this.#painted = lines.length;
    process.stdout.write(up + lines.join(''));
  }

  #format({ name, startedAt, says }: { name: string; startedAt: number; says: string }): string {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    return `${name.padEnd(12)} ${seconds.padStart(6)} s  ${says}`.slice(0, (process.stdout.columns || 100) - 1);
  }
}

function report({ name, state, durationMs, reason, lastLines }: TaskResult): string {
  const ended = `${name}: ${state} after ${(durationMs / 1000).toFixed(1)} s, ${reason}`;
  const shown = state === 'success' ? [] : lastLines;
  return [ended, ...shown.map((line) => `  ${line}`)].join('\n');
}

/** Returns the last line of a piece of output that is not empty, without escape sequences. */
function lastLine(chunk: string): string {
  const text = chunk.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g, '');
  return (
    text
      .split(/[\r\n]+/)
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}

function nameAndCommand(text: string): [name: string, command: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new Error(`${JSON.stringify(text)}: use NAME=COMMAND`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/**
 * Returns a script that does the same as `npm create …`, without npm: it creates folders and files, one after the other, and
 * prints a line about each.
 */
function scaffold(folder: string, files: readonly string[]): string {
  const write = files.map((file, at) =>
    [
      `mkdir -p "$(dirname ${folder}/${file})"`,
      `echo "${file}" > ${folder}/${file}`,
      `echo "[${Math.round(((at + 1) / files.length) * 100)}%] created ${folder}/${file}"`,
      'sleep 0.4',
    ].join(' && '),
  );
  return [`echo "Scaffolding ${folder} …"`, ...write, `echo "Done: ${folder}"`].join(' && ');
}

await main();
