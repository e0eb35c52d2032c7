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
  const leaving = new AbortController();
  let leftBy = 'SIGINT' as NodeJS.Signals;
  let isOver = false;
  let hasLostInput = false;
  let hasLostOutput = false;
  const { tell: tellLine = notice } = options;
  const tell = (text: string): void => tellLine(`[spool: ${text}]`);
  using _signals = options.passesSignals ? passSignals() : undefined;
  if (options.isForwarding) {
    // After the session has ended, unread input does not matter.
    const tellWhileItRuns = (text: string): void => {
      if (isOver) return;
      hasLostInput = true;
      tell(text);
    };
    void pipeInput(client, session.id, process.stdin, { endsInput: options.endsInput, tell: tellWhileItRuns });
  }

  const end = await stream();
  isOver = true;
  if (end.type === 'left') {
    const name = printable(options.calledAs);
    tell(`detached from ${name}; return with: ${ownCommand(['attach', name])}`);
    return { end, exitCode: leftBy === 'SIGQUIT' ? 0 : EXIT.signalBase + signalNumber(leftBy)! };
  }
  if (end.type !== 'exit') return { end, exitCode: EXIT.ourFailure };
  // A command may report success even if it got only part of its input, or the disk refused its output.
  return { end, exitCode: exitCodeOfSession(end) || (hasLostInput || hasLostOutput ? EXIT.failed : 0) };

  async function stream(): Promise<ViewEnd> {
    const lines = new OutputJson(session);
    using stdout = new SessionOutput(1, options.permissions);
    using stderr = new SessionOutput(2, options.permissions);
    using text = options.asText ? new SessionLines() : undefined;
    try {
      for await (const item of client.watch(session.id, {
        from: options.from,
        signal: leaving.signal,
        inside: ownSession(),
      })) {
        if (item.type === 'gap') hasLostOutput = true;
        if (options.asJson) await writeText(lines.line(item));
        else if (item.type === 'output' && text) await text.write(item.bytes, item.offset);
        else if (item.type === 'output' && item.stream === 'stderr' && options.omitsStderr) continue;
        else if (item.type === 'output') await (item.stream === 'stderr' ? stderr : stdout).write(item.bytes);
        else if (item.type === 'gap') tell(gapWords(item.from, item.to));
        if (item.type !== 'exit' && item.type !== 'removed') continue;
        await text?.end();
        return item;
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
    await text?.end();
    return { type: 'left' };
  }

  /** The first signal goes to the session, the second ends `spool`; Ctrl-\ (detach) and a closed terminal only end `spool`. */
  function passSignals(): Disposable {
    let isPassed = false;
    const onSignal = (name: NodeJS.Signals): void => {
      if (name === 'SIGHUP' || name === 'SIGQUIT' || isPassed) {
        leftBy = name;
        return leaving.abort();
      }
      isPassed = true;
      client.signal(session.id, name).catch((error: unknown) => {
        if (!SpoolError.is(error)) throw error;
        if (error.code !== 'SESSION_EXITED') tell(`could not pass ${name} to the session: ${error.message}`);
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
