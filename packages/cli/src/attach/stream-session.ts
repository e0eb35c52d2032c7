/**
 * Streams a session: its output to stdout, stdin to its input. For pipes, scripts and programs. stdin is not in raw mode;
 * stdout may still be a terminal. Keeps RUN-24.
 */
import type { Client } from '@spool/client';
import { ownCommand } from '../output/own-command.ts';
import { type SessionInfo, SpoolError, type WatchFrom } from '@spool/protocol';
import type { ViewEnd } from './attach-view.ts';
import { EXIT, exitCodeOfSession, signalNumber } from '../command-line/exit-code.ts';
import { OutputJson } from '../session-output/output-json.ts';
import { type EndsInput, pipeInput } from './session-input.ts';
import { ownSession } from '../output/own-session.ts';
import { printable } from '../output/printable.ts';
import { gapWords } from '../output/session-words.ts';
import { SessionLines } from '../session-output/session-lines.ts';
import { SessionOutput, type SessionOutputOptions } from '../session-output/session-output.ts';
import { notice, writeText } from '../output/stdio.ts';

export interface StreamOptions {
  /** The session as the user named it, for messages. */
  readonly calledAs: string;
  readonly from: WatchFrom;
  readonly asJson: boolean;
  /** Whether to print plain lines instead of the session's bytes. */
  readonly asText: boolean;
  /** Whether stdin goes to the session. */
  readonly isForwarding: boolean;
  /** Whether the end of stdin ends the session's input. */
  readonly endsInput: EndsInput;
  /** Whether the first Ctrl-C goes to the session. */
  readonly passesSignals: boolean;
  /** The session's permissions on a terminal, besides drawing. */
  readonly permissions: SessionOutputOptions;
  /** The session's own stderr is not written here, because events have it. */
  readonly omitsStderr?: boolean | undefined;
  /** Prints a line to the user (default: to stderr). */
  readonly tell?: ((line: string) => void) | undefined;
}

/** The reason of the end, and the exit code of `spool`. */
export interface StreamEnd {
  readonly end: ViewEnd;
  readonly exitCode: number;
}

export async function streamSession(client: Client, session: SessionInfo, options: StreamOptions): Promise<StreamEnd> {
  return await new SessionStream(client, session, options).run();
}

class SessionStream {
  readonly #client: Client;
  readonly #session: SessionInfo;
  readonly #options: StreamOptions;
  readonly #leaving = new AbortController();
  #leftBy: NodeJS.Signals = 'SIGINT';
  #isOver = false;
  /** Whether input did not arrive, or output was not stored: a command may report success all the same. */
  #hasLost = false;

  constructor(client: Client, session: SessionInfo, options: StreamOptions) {
    this.#client = client;
    this.#session = session;
    this.#options = options;
  }

  async run(): Promise<StreamEnd> {
    const { passesSignals, isForwarding, endsInput, calledAs } = this.#options;
    using _signals = passesSignals ? this.#passSignals() : undefined;
    if (isForwarding) {
      const tell = (text: string): void => this.#lostInput(text);
      void pipeInput(this.#client, this.#session.id, process.stdin, { endsInput, tell });
    }

    const end = await this.#stream();
    this.#isOver = true;
    if (end.type === 'left') {
      const name = printable(calledAs);
      this.#tell(`detached from ${name}; return with: ${ownCommand(['attach', name])}`);
      return { end, exitCode: this.#leftBy === 'SIGQUIT' ? 0 : EXIT.signalBase + signalNumber(this.#leftBy)! };
    }
    if (end.type !== 'exit') return { end, exitCode: EXIT.ourFailure };
    return { end, exitCode: exitCodeOfSession(end) || (this.#hasLost ? EXIT.failed : 0) };
  }

  async #stream(): Promise<ViewEnd> {
    const { permissions, asText, asJson, omitsStderr, from } = this.#options;
    const lines = new OutputJson(this.#session);
    using stdout = new SessionOutput(1, permissions);
    using stderr = new SessionOutput(2, permissions);
    using text = asText ? new SessionLines() : undefined;
    const { signal } = this.#leaving;
    try {
      for await (const item of this.#client.watch(this.#session.id, { from, signal, inside: ownSession() })) {
        if (item.type === 'gap') this.#hasLost = true;
        if (asJson) await writeText(lines.line(item));
        else if (item.type === 'output' && text) await text.write(item.bytes, item.offset);
        else if (item.type === 'output' && item.stream === 'stderr' && omitsStderr) continue;
        else if (item.type === 'output') await (item.stream === 'stderr' ? stderr : stdout).write(item.bytes);
        else if (item.type === 'gap') this.#tell(gapWords(item.from, item.to));
        if (item.type !== 'exit' && item.type !== 'removed') continue;
        await text?.end();
        return item;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await text?.end();
    return { type: 'left' };
  }

  /** Reports input that did not arrive. After the session has ended, unread input does not matter. */
  #lostInput(text: string): void {
    if (this.#isOver) return;
    this.#hasLost = true;
    this.#tell(text);
  }

  #tell(text: string): void {
    (this.#options.tell ?? notice)(`[spool: ${text}]`);
  }

  /** The first signal goes to the session, the second ends `spool`; Ctrl-\ (detach) and a closed terminal only end `spool`. */
  #passSignals(): Disposable {
    let isPassed = false;
    const onSignal = (name: NodeJS.Signals): void => {
      if (name === 'SIGHUP' || name === 'SIGQUIT' || isPassed) {
        this.#leftBy = name;
        return this.#leaving.abort();
      }
      isPassed = true;
      this.#client.signal(this.#session.id, name).catch((error: unknown) => {
        if (!SpoolError.is(error)) throw error;
        if (error.code !== 'SESSION_EXITED') this.#tell(`could not pass ${name} to the session: ${error.message}`);
      });
    };
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
    for (const name of names) process.on(name, onSignal);
    return {
      [Symbol.dispose]() {
        for (const name of names) process.off(name, onSignal);
      },
    };
  }
}
