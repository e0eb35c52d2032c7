/**
 * Starts children: asks the holder to fork, and asks the next holder if that one dies before its answer. No child is started twice.
 * Keeps a part of LIFE-1, the rule about a holder that dies while it forks.
 */
import { COOKIE, DAEMON_MARK, ProcessSweep, signalMember } from '@spool/store';
import { type AgentServerPlan, type FromKeeper, type Home, type RunRequest, SpoolError } from '@spool/protocol';
import type { KeeperSession } from '../sessions/session.ts';

/** The delay before searching again for children that a dead holder may have left. */
const ASK_AGAIN_MS = 100;

interface PendingRun {
  run: RunRequest;
  readonly started: PromiseWithResolvers<KeeperSession>;
  /** The number of the holder that was asked, counted from the first; null if none was asked yet. */
  askedHolder: number | null;
  /** Whether all preparations of its start are done. */
  isPrepared: boolean;
}

export interface SpawnerOptions {
  daemon(): { readonly home: Home; readonly sockets?: readonly string[] };
  /** Returns the number of the present holder, counted from the first. */
  holder(): number;
  send(message: FromKeeper): void;
  /** Resolves when the screen thread can answer terminal queries. */
  screensReady(): Promise<unknown>;
  /** Plans the separate server of an agent in a terminal; undefined if there is none. */
  planServer(run: RunRequest): Promise<AgentServerPlan | undefined>;
  /** Returns the variables for a planned session that are in no record; a second call returns none. */
  takeSecrets(id: string): Readonly<Record<string, string>>;
  /** Returns the daemon's own processes. */
  ownPids(): readonly number[];
}

export class Spawner {
  readonly #options: SpawnerOptions;
  readonly #pending = new Map<string, PendingRun>();
  #isPaused = false;

  constructor(options: SpawnerOptions) {
    this.#options = options;
  }

  /** The number of children that are still starting. */
  get count(): number {
    return this.#pending.size;
  }

  /** Returns the pending answer to the same request, if it was sent before. */
  underWay(run: RunRequest): Promise<KeeperSession> | undefined {
    const pending = this.#pending.get(run.id);
    if (pending && !isSameRun(pending.run, run)) throw new SpoolError('ID_TAKEN', { session: run.id });
    return pending?.started.promise;
  }

  /** Returns whether a child that is still starting, other than `id`, has the name. */
  isNameTaken(name: string, id: string): boolean {
    for (const { run } of this.#pending.values()) if (run.name === name && run.id !== id) return true;
    return false;
  }

  /** Returns the agent sessions of the children that are still starting, other than `id`. */
  agentSessions(id: string): readonly string[] {
    return [...this.#pending.values()].flatMap(({ run }) =>
      run.id === id ? [] : (run.agent?.resumes?.agentSession ?? []),
    );
  }

  /** The names of the children that are still starting. */
  get names(): readonly string[] {
    return [...this.#pending.values()].flatMap(({ run }) => run.name ?? []);
  }

  /** Starts a child; rejects with the error of the operating system. */
  start(run: RunRequest): Promise<KeeperSession> {
    const { home, sockets = [home.socket] } = this.#options.daemon();
    const { [DAEMON_MARK]: _mark, ...asked } = run.env;
    const env = {
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...asked,
      [COOKIE]: run.id,
      // The last socket is in the state folder: it outlives the login that started the daemon.
      SPOOL_SOCKET: sockets.at(-1)!,
    };
    const pending: PendingRun = {
      run: { ...run, env },
      started: Promise.withResolvers(),
      askedHolder: null,
      isPrepared: run.size === undefined,
    };
    this.#pending.set(run.id, pending);
    if (pending.isPrepared) this.#ask(pending);
    else void this.#prepare(pending);
    return pending.started.promise;
  }

  async #prepare(pending: PendingRun): Promise<void> {
    const [agentServer] = await Promise.all([this.#options.planServer(pending.run), this.#options.screensReady()]);
    if (agentServer) {
      const env = { ...pending.run.env, ...this.#options.takeSecrets(pending.run.id) };
      pending.run = { ...pending.run, env, agentServer };
    }
    pending.isPrepared = true;
    this.#ask(pending);
  }

  /** Resolves the request: the holder has started the child. */
  started(session: KeeperSession): void {
    this.#take(session.id)?.started.resolve(session);
  }

  /** Rejects the request: the holder could not start the child. */
  failed(id: string, code: string, syscall: string): void {
    const pending = this.#take(id);
    pending?.started.reject(spawnError(pending.run, code, syscall));
  }

  /** Sends no requests while `renew` replaces the holder: the next holder would not know a child that is started now. */
  async pausedWhile(renew: () => Promise<void>): Promise<void> {
    this.#isPaused = true;
    try {
      await this.answered();
      await renew();
    } finally {
      this.#isPaused = false;
      for (const pending of this.#pending.values())
        if (pending.askedHolder === null && pending.isPrepared) this.#ask(pending);
    }
  }

  /** Resolves when the holder has answered all requests. */
  async answered(): Promise<void> {
    const asked = [...this.#pending.values()].filter(({ askedHolder }) => askedHolder !== null);
    await Promise.allSettled(asked.map(({ started }) => started.promise));
  }

  /**
   * Kills a child without a terminal that a holder may have left when it died while forking, and starts it again. Only its cookie
   * identifies it, because no process could record its pid and start time.
   */
  async askAgain(): Promise<void> {
    const holder = this.#options.holder();
    const unanswered = [...this.#pending.values()].filter(
      ({ askedHolder }) => askedHolder !== null && askedHolder !== holder,
    );
    if (unanswered.length === 0) return;
    const wanted = new Map(unanswered.map(({ run }) => [run.id, { leader: null, controlGroup: null }]));
    const found = await new ProcessSweep(() => this.#options.ownPids()).find(wanted).catch(() => null);
    if (this.#options.holder() !== holder) return; // the holder was replaced again: then this is called again
    if (found === null) {
      setTimeout(() => void this.askAgain(), ASK_AGAIN_MS); // EMFILE: a second start now might run the child twice
      return;
    }
    for (const member of [...found.values()].flat()) signalMember(member, ['SIGKILL']);
    for (const pending of unanswered) if (this.#pending.has(pending.run.id)) this.#ask(pending);
  }

  #ask(pending: PendingRun): void {
    if (this.#isPaused) return; // the request is sent once the next holder runs
    pending.askedHolder = this.#options.holder();
    this.#options.send({ type: 'spawn', run: pending.run });
  }

  #take(id: string): PendingRun | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

function spawnError(run: RunRequest, code: string, syscall: string): SpoolError {
  const command = run.command[0]!;
  if (code === 'EMFILE' || code === 'ENFILE') return new SpoolError('TOO_MANY_FILES', { command });
  if (syscall === 'chdir') return new SpoolError('CWD_UNUSABLE', { cwd: run.cwd, reason: code });
  if (syscall === 'execve' && (code === 'ENOENT' || code === 'ENOTDIR'))
    return new SpoolError('COMMAND_NOT_FOUND', { command });
  if (syscall === 'execve') return new SpoolError('COMMAND_NOT_EXECUTABLE', { command, reason: code });
  return new SpoolError('SPAWN_FAILED', { command, reason: `${syscall}: ${code}` });
}

/**
 * Returns whether a request repeats the one that started a session; the program may have been killed meanwhile, and repeat it from
 * another terminal. Therefore only the command is compared, not how it is shown. The environment is not compared, because it is not
 * kept.
 */
export function isSameRun(one: RunRequest, other: RunRequest): boolean {
  const told = ({ command, cwd, isTask }: RunRequest): string => JSON.stringify([command, cwd, isTask ?? false]);
  return told(one) === told(other);
}
