/**
 * A session as a plain stream: its output on ours, our input to it. For pipes, scripts and programs. Our input is not a
 * terminal, so nothing is raw; our output may be one all the same.
 */
import type { Client } from '@spool/client';
import { type SessionInfo, SpoolError, type WatchFrom } from '@spool/protocol';
import type { ViewEnd } from './attach-view.ts';
import { EXIT, exitCodeOfSession, signalNumber } from '../command-line/exit-code.ts';
import { OutputJson } from '../session-output/output-json.ts';
import { pipeInput } from './session-input.ts';
import { printable } from '../output/printable.ts';
import { gapWords } from '../output/session-words.ts';
import { SessionOutput, type SessionOutputOptions } from '../session-output/session-output.ts';
import { notice, writeText } from '../output/stdio.ts';

export interface StreamOptions {
  /** The session as the person named it, for notices. */
  readonly calledAs: string;
  readonly from: WatchFrom;
  readonly asJson: boolean;
  /** Whether what comes on stdin goes to the session. */
  readonly isForwarding: boolean;
  /** Whether a first Ctrl-C is meant for the session. */
  readonly passesSignals: boolean;
  /** What the program may do to a terminal beyond drawing. */
  readonly permissions: SessionOutputOptions;
  /** Says a line to the person; on standard error unless told. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** Why it ended, and what `spool` should return for it. */
export interface StreamEnd {
  readonly end: ViewEnd;
  readonly exitCode: number;
}

export async function streamSession(client: Client, session: SessionInfo, options: StreamOptions): Promise<StreamEnd> {
  const leaving = new AbortController();
  let leftBy = 'SIGINT' as NodeJS.Signals;
  let isOver = false;
  const { tell: tellLine = notice } = options;
  const tell = (text: string): void => tellLine(`[spool: ${text}]`);
  using _signals = options.passesSignals ? passSignals() : undefined;
  if (options.isForwarding) {
    // Once the session has ended, nobody misses what it did not take.
    const tellWhileItRuns = (text: string): void => void (isOver || tell(text));
    void pipeInput(client, session.id, process.stdin, { closesAtEnd: session.size === null, tell: tellWhileItRuns });
  }

  const end = await stream();
  isOver = true;
  if (end.type === 'left') {
    const name = printable(options.calledAs);
    tell(`left ${name}, which runs on; come back with: spool attach ${name}`);
    return { end, exitCode: leftBy === 'SIGQUIT' ? 0 : EXIT.signalBase + signalNumber(leftBy)! };
  }
  return { end, exitCode: end.type === 'exit' ? exitCodeOfSession(end) : EXIT.ourFailure };

  async function stream(): Promise<ViewEnd> {
    const lines = new OutputJson(session.id);
    using stdout = new SessionOutput(1, options.permissions);
    using stderr = new SessionOutput(2, options.permissions);
    try {
      for await (const item of client.watch(session.id, { from: options.from, signal: leaving.signal })) {
        if (options.asJson) await writeText(lines.line(item));
        else if (item.type === 'output') await (item.stream === 'stderr' ? stderr : stdout).write(item.bytes);
        else if (item.type === 'gap') tell(gapWords(item.from, item.to));
        if (item.type === 'exit' || item.type === 'removed') return item;
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
    return { type: 'left' };
  }

  /** The first is for the session, the second for us; Ctrl-\ (which detaches) and a closed terminal are for us alone. */
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
        if (error.code !== 'SESSION_EXITED') tell(`${name} could not be passed on: ${error.message}`);
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
