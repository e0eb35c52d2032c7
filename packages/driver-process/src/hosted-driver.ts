/**
 * One driver of a driver host. It talks to the keeper over its own socket, on which the keeper grants it nothing but its session,
 * and ends when the keeper closes it. A fault of this driver ends no other one. Keeps the driver's part of DRV-43.
 */
import { statSync } from 'node:fs';
import { Socket } from 'node:net';
import { Link, Requester, type Runtime, StreamTransport } from '@spool/client/driver';
import { CHANNEL_DIALECTS, DIALECTS, type DialectOptions, isDriverName } from '@spool/drivers';
import { type AgentStartOptions, type DriverOrder, logLine, SpoolError, VERSION } from '@spool/protocol';
import { AgentMachine } from './agent-machine.ts';
import { sideChannel } from './channel/side-channel.ts';
import { decodeCheckpoint } from './checkpoint.ts';
import { DriverRun } from './driver-run.ts';
import { DriverPace } from './pace.ts';
import type { StepMark } from './step-mark.ts';
import { userPolicy } from './user-policy.ts';

export interface HostedDriverOptions {
  readonly order: DriverOrder;
  /** The socket to the keeper, which the driver takes over. */
  readonly fd: number;
  readonly slot: number;
  readonly mark: StepMark;
  /** The folder of the user's policy. */
  readonly configFolder: string;
  /** Called once, when it has ended by itself. */
  onGone(how: string): void;
}

export class HostedDriver {
  readonly #options: HostedDriverOptions;
  readonly #pace: DriverPace;
  readonly #link: Link;
  readonly #socket: Socket;
  #isOver = false;

  constructor(options: HostedDriverOptions) {
    const { order, fd, slot, mark } = options;
    this.#options = options;
    this.#pace = new DriverPace(() => mark.set(slot));
    this.#socket = new Socket({ fd, readable: true, writable: true });
    this.#link = new Link(this.#runtime(), { who: `driver ${order.name}` });
    this.#pace.begin();
    this.#run().then(
      () => this.#gone('it has ended'),
      (error) => this.fail(error),
    );
  }

  /** Ends this driver because of an exception. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#log('error', (error as Error).stack ?? String(error));
    this.#gone(String(error));
  }

  async #run(): Promise<void> {
    const { name, session, channel: channelFolder, isFromStart, isLineByLine } = this.#options.order;
    if (!isDriverName(name)) throw new SpoolError('AGENT_UNKNOWN', { agent: name });
    const requester = new Requester(this.#link);
    const { cwd, driver } = await requester.get(session);
    const channel = channelFolder === undefined ? undefined : await sideChannel(channelFolder, requester, session);
    const dialect = channel ? CHANNEL_DIALECTS[name] : DIALECTS[name];
    if (!dialect) throw new SpoolError('AGENT_UNKNOWN', { agent: name });
    const build = `${name} ${BUILD}`;
    const { base64 } = isFromStart ? { base64: null } : await requester.once('getCheckpoint', { session });
    const from = decodeCheckpoint(base64, build);
    const options: DialectOptions = {
      ...given(driver?.options),
      isContinued: driver?.resumes?.session !== undefined,
      cwd,
      clientVersion: VERSION,
    };
    const machine = new AgentMachine(dialect, session, options, from?.machine, channel !== undefined);
    const warn = (sentence: string): void => this.#log('warn', sentence);
    const policy = userPolicy({ configFolder: this.#options.configFolder, cwd, warn });
    const onOutdated = (): void => this.#gone('another one has taken its place');
    const pace = this.#pace;
    const run = { requester, session, machine, from, build, policy, channel, isLineByLine, onOutdated, pace };
    await new DriverRun(run).run();
  }

  #runtime(): Runtime {
    const socket = this.#socket;
    const pace = this.#pace;
    let isDialled = false;
    return {
      dial: () => {
        if (isDialled) return new Promise(() => {}); // the keeper has ended this driver
        isDialled = true;
        socket.on('drain', () => pace.begin());
        socket.on('close', () => this.#gone('its connection has ended'));
        const opened = new StreamTransport((read) =>
          socket.on('data', (bytes) => {
            pace.begin();
            read(bytes);
          }),
        );
        return Promise.resolve(opened);
      },
      sleep: (ms) => new Promise((resolve) => void pace.after(ms, resolve)),
      now: () => performance.now(),
      randomId: () => Math.random().toString(36).slice(2, 12),
    };
  }

  #gone(how: string): void {
    if (this.#isOver) return;
    this.#close();
    this.#options.onGone(how);
  }

  /** Ends everything of this driver: its pauses and requests end with an error, which has no effect. */
  #close(): void {
    this.#isOver = true;
    this.#pace.begin();
    this.#pace.end(new Error('the driver has ended'));
    this.#link.close();
    this.#socket.destroy();
  }

  #log(level: 'warn' | 'error', sentence: string): void {
    const { name, session } = this.#options.order;
    process.stderr.write(logLine(level, `driver ${name}`, process.pid, `session ${session}: ${sentence}`));
  }
}

/** Identifies this program: the checkpoint of another program may have another shape. */
const BUILD = buildOf(import.meta.filename);

function buildOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return `${VERSION} ${size} ${mtimeMs}`;
}

/** Returns the options without absent ones. */
function given(options: AgentStartOptions = {}): DialectOptions {
  const { model, mode, resume } = options;
  return { ...(model && { model }), ...(mode && { mode }), ...(resume && { resume }) };
}
