/**
 * Keeps the driver of one agent running. A driver that crashes or hangs is started again; its state is in the logs. Keeps EVT-4: a
 * driver that keeps crashing is given up, and the session lives; and DRV-44: a driver on whose line a process has ended is
 * started alone.
 */
import type { DriverDeath, DriverTraffic } from './driver-host.ts';
import type { DriverHosts } from './driver-hosts.ts';

/** The number of crashes in a row without progress. Killing a driver that hangs counts as a crash. */
const CRASHES_MAX = 5;
/** The number of crashes after which a checkpoint is no longer trusted. */
const CRASHES_WITH_CHECKPOINT = 1;
/** The number of crashes after which a driver is started alone, although it may not be the reason. */
const CRASHES_SHARED_MAX = 2;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 2000;

export interface AgentDriverOptions {
  readonly hosts: DriverHosts;
  readonly name: string;
  readonly session: string;
  /** The folder of the side channel that the driver reads, for an agent in a terminal. */
  readonly channel?: string;
  /** Serves the driver on this socket, and takes over the fd. Returns a function that closes it. */
  serve(fd: number, traffic: DriverTraffic): () => void;
  /** Called when the driver was given up, with the reason in words. */
  onGivenUp(reason: string): void;
  warn(sentence: string): void;
}

export class AgentDriver {
  readonly #options: AgentDriverOptions;
  #stop: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #crashes = 0;
  /** Whether it is alone in its process: it has a channel, or a process has ended on its line. */
  #isAlone: boolean;
  /** The offset before which the driver has processed the output: it crashes on output after it. */
  #taken: number | null = null;
  #isOver = false;

  constructor(options: AgentDriverOptions) {
    this.#options = options;
    this.#isAlone = options.channel !== undefined;
  }

  get isGivenUp(): boolean {
    return this.#crashes >= CRASHES_MAX;
  }

  /** Starts the driver, unless it runs or is about to start. A driver that was given up gets another chance. */
  start(): void {
    if (this.#isOver || this.#stop !== null || this.#timer !== null) return;
    if (this.isGivenUp) this.#crashes = 0;
    this.#start();
  }

  /** Records that the driver has appended an event, which shows that it works. */
  progressed(): void {
    this.#crashes = 0;
  }

  /** Records that the driver has processed the output before this offset. */
  took(offset: number): void {
    this.#taken = offset;
  }

  /** Ends the driver permanently. */
  end(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stop?.();
  }

  #start(): void {
    const { hosts, name, session, channel, serve } = this.#options;
    // A driver that has crashed on its checkpoint reads its logs instead. After any crash, a driver takes one line at a time: it
    // then keeps the lines that it could process, and the last offset is that of the line on which it crashes.
    const order = {
      name,
      session,
      channel,
      isFromStart: this.#crashes > CRASHES_WITH_CHECKPOINT,
      isLineByLine: this.#crashes > 0,
    };
    try {
      this.#stop = hosts.drive({ order, serve, onGone: (death) => this.#gone(death) }, this.#isAlone);
    } catch (error) {
      this.#gone({ how: `no socket: ${(error as Error).message}`, cause: 'failed' });
    }
  }

  #gone({ how, cause }: DriverDeath): void {
    this.#stop = null;
    if (this.#isOver) return;
    if (cause === 'beside') return this.#startIn(AGAIN_MS_FIRST);
    const { name, session, warn, onGivenUp } = this.#options;
    this.#crashes++;
    this.#isAlone ||= cause === 'in-step' || (cause === 'at-start' && this.#crashes >= CRASHES_SHARED_MAX);
    warn(`the driver ${name} of session ${session} is gone: ${how}`);
    const where = this.#taken === null ? '' : ` at offset ${this.#taken} of the output`;
    if (this.isGivenUp) return onGivenUp(`its driver crashed ${CRASHES_MAX} times in a row${where}: ${how}`);
    this.#startIn(Math.min(AGAIN_MS_MAX, AGAIN_MS_FIRST * 2 ** (this.#crashes - 1)));
  }

  #startIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#start();
    }, ms);
  }
}
