/**
 * Starts the driver of one agent's session, for the keeper: `driver.mjs NAME --session ID --link-fd 3 --config DIR`. The driver
 * ends with the keeper, and the next keeper starts another. With `--channel DIR` the agent is in a terminal, and its side channel
 * is read. With `--from-start` it ignores the checkpoint; with `--line-by-line` each of the first lines becomes a separate record.
 */
import { statSync } from 'node:fs';
import { Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { Link, Requester, type Runtime, StreamTransport } from '@spool/client/driver';
import { CHANNEL_DIALECTS, DIALECTS, type DialectOptions, isDriverName } from '@spool/drivers';
import { type AgentStartOptions, LOAD_CHECK, logLine, SpoolError, VERSION } from '@spool/protocol';
import { AgentMachine } from './agent-machine.ts';
import { decodeCheckpoint } from './checkpoint.ts';
import { DriverRun } from './driver-run.ts';
import { sideChannel } from './channel/side-channel.ts';
import { userPolicy } from './user-policy.ts';

if (process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    session: { type: 'string' },
    'link-fd': { type: 'string' },
    config: { type: 'string' },
    channel: { type: 'string' },
    'from-start': { type: 'boolean' },
    'line-by-line': { type: 'boolean' },
  },
});
const [name = ''] = positionals;
const session = values.session ?? '';

/** A channel that is never used: channels are counted from 1. */
const UNUSED_CHANNEL = 0;

process.title = `spool-driver ${name}`;

let isDialled = false;
const runtime: Runtime = {
  dial: () => {
    if (isDialled) process.exit(0); // the keeper is gone
    isDialled = true;
    const socket = new Socket({ fd: Number(values['link-fd']), readable: true, writable: true });
    return Promise.resolve(new StreamTransport((read) => socket.on('data', read)));
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => performance.now(),
  randomId: () => Math.random().toString(36).slice(2, 12),
};

try {
  if (!isDriverName(name)) throw new SpoolError('AGENT_UNKNOWN', { agent: name });
  const requester = new Requester(new Link(runtime, { who: `driver ${name}` }));
  // The keeper checks whether this process hangs: any request is a sign of life, and this one has no effect.
  process.on('SIGWINCH', () => void requester.once('unwatch', { channel: UNUSED_CHANNEL }).catch(() => {}));
  const { cwd, driver } = await requester.get(session);
  const channel = values.channel === undefined ? undefined : await sideChannel(values.channel, requester, session);
  const dialect = channel ? CHANNEL_DIALECTS[name] : DIALECTS[name];
  if (!dialect) throw new SpoolError('AGENT_UNKNOWN', { agent: name });
  const build = `${name} ${buildOf(import.meta.filename)}`;
  const { base64 } = values['from-start'] ? { base64: null } : await requester.once('getCheckpoint', { session });
  const from = decodeCheckpoint(base64, build);
  const options: DialectOptions = {
    ...given(driver?.options),
    isContinued: driver?.resumes?.session !== undefined,
    cwd,
    clientVersion: VERSION,
  };
  const machine = new AgentMachine(dialect, session, options, from?.machine, channel !== undefined);
  const policy = userPolicy({ configFolder: values.config ?? '', cwd, warn: (sentence) => log('warn', sentence) });
  const onOutdated = (): void => process.exit(0);
  const isLineByLine = values['line-by-line'] === true;
  await new DriverRun({ requester, session, machine, from, build, policy, channel, isLineByLine, onOutdated }).run();
  process.exit(0);
} catch (error) {
  log('error', (error as Error).stack ?? String(error));
  process.exit(1);
}

function log(level: 'warn' | 'error', sentence: string): void {
  process.stderr.write(logLine(level, `driver ${name}`, process.pid, sentence));
}

/** Identifies this program: the checkpoint of another program may have another shape. */
function buildOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return `${VERSION} ${size} ${mtimeMs}`;
}

/** Returns the options without absent ones. */
function given(options: AgentStartOptions = {}): DialectOptions {
  const { model, mode, resume } = options;
  return { ...(model && { model }), ...(mode && { mode }), ...(resume && { resume }) };
}
