/**
 * Makes a dialect from its parts: copies the state, feeds the input to them, and answers what every dialect answers alike (the
 * end of the process, gaps, lines of stderr, lines that are not JSON). Keeps DRV-5.
 */
import type { AgentSource } from '@spool/protocol/agent';
import type { Dialect, DialectOptions, DriverInput, LineInput, Step } from '../dialect.ts';
import { copyOf, isObject, type JsonObject, parseJson } from '../json-value.ts';
import { type Program, untested } from '../versions.ts';
import { carryOut, type Hands, sendNext } from './commands.ts';
import { Ledger } from './ledger.ts';
import { rawEvent } from './raw.ts';
import type { LedgerState } from './state.ts';

export interface DialectState {
  ledger: LedgerState;
  options: DialectOptions;
}

/** One step at work: the dialect's own state, and the ledger on its part of it. */
export interface Work<State extends DialectState> {
  readonly state: State;
  readonly ledger: Ledger;
  /** What the agent does, in one word, for the status. */
  detail?: string | undefined;
}

export interface DialectParts<State extends DialectState> {
  readonly source: AgentSource;
  initial(options: DialectOptions): State;
  /** A message of the agent. Returns false if its type is unknown. */
  message(work: Work<State>, message: JsonObject, line: LineInput): boolean;
  /** A message that another client wrote, in a recording. */
  sent?(work: Work<State>, message: JsonObject): void;
  /** Text on stdout that is not JSON. Returns false if it means nothing here. */
  text?(work: Work<State>, text: string): boolean;
  started?(work: Work<State>): void;
  hands(work: Work<State>): Hands;
  /** The agent's own session, if another process of it can go on with it. */
  resumable?(work: Work<State>): string | null;
  /** The program that speaks, once it has said what it is. */
  program?(work: Work<State>): Program | null;
  /** How an unknown message is called. */
  typeOf(message: JsonObject): string;
}

export function dialectOf<State extends DialectState>(parts: DialectParts<State>): Dialect<State> {
  return {
    source: parts.source,
    initial: (options = {}) => parts.initial(options),
    step(before, input): Step<State> {
      const state = copyOf(before);
      const work: Work<State> = { state, ledger: new Ledger(state.ledger, input.at) };
      take(parts, work, input);
      tellVersion(parts, work);
      work.ledger.settle(work.detail);
      const { events, writes, closes } = work.ledger;
      return { state, events, writes, ...(closes ? { closes } : {}) };
    },
  };
}

function take<State extends DialectState>(parts: DialectParts<State>, work: Work<State>, input: DriverInput): void {
  const { ledger, state } = work;
  const hands = state.options.isReadOnly ? {} : parts.hands(work);
  switch (input.type) {
    case 'line':
      takeLine(parts, work, input);
      return sendNext(ledger, hands);
    case 'command':
      return carryOut(ledger, hands, input);
    case 'started':
      return parts.started?.(work);
    case 'exited':
      return ledger.end(input, parts.resumable?.(work) ?? null);
    case 'gap': {
      const text = `Output from ${input.from} to ${input.to} is missing; what was open there is closed.`;
      ledger.emit({ kind: 'notice', level: 'warning', code: 'gap', text });
      ledger.closeAll(text, 'gap');
    }
  }
}

/** Once, and only of a version that was not tested. */
function tellVersion<State extends DialectState>(parts: DialectParts<State>, work: Work<State>): void {
  const { ledger } = work;
  if (ledger.state.isVersionTold) return;
  const program = parts.program?.(work);
  if (!program) return;
  ledger.state.isVersionTold = true;
  const text = untested(program);
  if (text !== null) ledger.emit({ kind: 'notice', level: 'info', code: 'version', text });
}

function takeLine<State extends DialectState>(parts: DialectParts<State>, work: Work<State>, line: LineInput): void {
  const text = line.text.trim();
  if (text === '') return;
  const { ledger } = work;
  if (line.stream === 'stderr') {
    ledger.emit({ kind: 'notice', level: 'info', code: 'stderr', text: text.slice(0, STDERR_CHARS_MAX) });
    return;
  }
  const message = parseJson(text);
  if (line.stream === 'stdin') {
    if (isObject(message)) parts.sent?.(work, message);
    return;
  }
  if (isObject(message)) {
    if (!parts.message(work, message, line)) ledger.emit(rawEvent(parts.typeOf(message), message));
    return;
  }
  if (parts.text?.(work, text)) return;
  ledger.emit(rawEvent(line.isCut ? 'long-line' : message === undefined ? 'text' : 'json', message ?? text));
}

/** Of a line on stderr. */
const STDERR_CHARS_MAX = 4096;
