/**
 * `spool driver NAME`: runs an agent in a pipe, with commands as input and events as output (`driver-process/pipe`). With `--replay
 * FILE` it converts a recording to events, one per line. Keeps DRV-9.
 */
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { agentEnvironment, agentRun } from '@spool/client';
import {
  BusiestClient,
  type DialectOptions,
  DIALECTS,
  Driver,
  DRIVER_NAMES,
  type DriverName,
  isDriverName,
  RecordingReader,
} from '@spool/drivers';
import { type AgentStartOptions, VERSION } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';
import { exitCodeOfSession } from '../command-line/exit-code.ts';
import { osErrorText } from '../command-line/os-error.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { jsonText } from '../output/json-text.ts';
import { flush, writeText } from '../output/stdio.ts';
import type { ArgumentsOf } from '../command-line/verb-table.ts';
import type { ProgramLocation, VerbAction } from '../program.ts';

const READ_BYTES = 64 * 1024;

const driver: VerbAction<'driver'> = async ({ flags, operands }, program) => {
  const [name = '', ...extra] = operands;
  if (!isDriverName(name))
    throw new UsageError(`unknown driver ${JSON.stringify(name)}; use ${DRIVER_NAMES.join(', ')}`, 'driver');
  if (flags.replay === undefined) return await runInPipe(name, flags, extra, program);
  if (extra.length > 0) throw new UsageError('--replay starts no agent, so it takes no arguments for one', 'driver');
  const file = flags.replay;
  const agent = new Driver(DIALECTS[name], 'replay', { isReadOnly: true });
  const reader = new RecordingReader(file === '-' ? undefined : await busiestClient(file));
  for await (const chunk of chunksOf(file))
    for (const input of reader.push(chunk)) await print(agent.take(input).events);
  for (const input of reader.end()) await print(agent.take(input).events);
  await flush(1);
  return 0;
};

export default driver;

/**
 * `driver-process/pipe` is a program beside this one, because the code that finds and ends processes is not part of the command
 * line.
 */
interface PipeProgram {
  readonly Pipe: new (options: {
    readonly name: DriverName;
    readonly command: readonly string[];
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly isBridged: boolean;
    readonly options: DialectOptions;
  }) => {
    run(): Promise<{
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly isClosed: boolean;
      readonly endedBy: NodeJS.Signals | null;
    }>;
  };
}

async function runInPipe(
  name: DriverName,
  { cwd, model, mode, resume, program: own }: ArgumentsOf<'driver'>['flags'],
  extra: readonly string[],
  program: ProgramLocation,
): Promise<number> {
  if (name === 'acp' && own === undefined) throw new UsageError('acp needs --program COMMAND', 'driver');
  const folder = resolve(cwd ?? '.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd ${JSON.stringify(cwd)} is not a folder`, 'driver');
  const { command, agent } = agentRun(name, { model, mode, resume, program: own?.split(' ') }, () => '');
  const file = program.isBundled ? 'pipe.mjs' : '../../driver-process/src/pipe/pipe.ts';
  const { Pipe } = (await program.importModule(`${program.folder}/${file}`)) as PipeProgram;
  const { exitCode, signal, isClosed, endedBy } = await new Pipe({
    name,
    command: [...command, ...extra],
    cwd: folder,
    env: { ...process.env, ...agentEnvironment(name) },
    isBridged: agent.bridge !== undefined,
    options: { ...present(agent.options ?? {}), cwd: folder, clientVersion: VERSION },
  }).run();
  await flush(1);
  if (isClosed || endedBy === 'SIGPIPE') return 0;
  return exitCodeOfSession(endedBy === null ? { exitCode, signal } : { exitCode: null, signal: endedBy });
}

/** Returns the options without absent ones. */
function present(options: AgentStartOptions): Pick<DialectOptions, 'model' | 'mode' | 'resume'> {
  const { model, mode, resume } = options;
  return { ...(model && { model }), ...(mode && { mode }), ...(resume && { resume }) };
}

async function print(events: readonly AgentEvent[]): Promise<void> {
  if (events.length > 0) await writeText(events.map((event) => `${jsonText(event)}\n`).join(''));
}

async function busiestClient(file: string): Promise<string | undefined> {
  const counted = new BusiestClient();
  for await (const chunk of chunksOf(file)) counted.push(chunk);
  return counted.client;
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw new UsageError(`cannot read ${JSON.stringify(file)}: ${osErrorText(error)}`, 'driver');
  }
}
