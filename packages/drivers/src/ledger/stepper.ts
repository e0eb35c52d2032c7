/**
 * Creates a dialect from its parts: copies the state, passes the input to them, and handles the inputs that every dialect handles
 * alike (the end of the process, gaps, lines of stderr, lines that are not JSON, invalid commands). Keeps DRV-5, DRV-17, EVT-9.
 */
import type { AgentSource } from '@spool/protocol/agent';
import type { CommandInput, Dialect, DialectOptions, DriverInput, LineInput, Step } from '../dialect.ts';
import { copyOf, isObject, type JsonObject, parseJson } from '../json-value.ts';
import { skimMembers } from '../skim.ts';
import { type ProgramVersion, untested } from '../versions.ts';
import { commandFault } from './command-check.ts';
import { carryOut, deny, type Capabilities, sendNext } from './commands.ts';
import { Ledger } from './ledger.ts';
import { rawEvent } from './raw.ts';
import { refuseCommand } from './refusal.ts';
import type { LedgerState } from './state.ts';

export interface DialectState {
  ledger: LedgerState;
  options: DialectOptions;
}

/** The data of one step: the dialect's own state, and the ledger for its part of it. */
export interface Work<State extends DialectState> {
  readonly state: State;
  readonly ledger: Ledger;
  /** The activity of the agent, in one word, for the status. */
  detail?: string | undefined;
}

export interface DialectParts<State extends DialectState> {
  readonly source: AgentSource;
  initial(options: DialectOptions): State;
  /** Handles a message of the agent. Returns false if its type is unknown. */
  message(work: Work<State>, message: JsonObject, line: LineInput): boolean;
  /** Handles a message that another client wrote, in a recording. */
  sent?(work: Work<State>, message: JsonObject): void;
  /** Handles a message that cannot be read whole, by its plain members. Returns true if it has refused a request. */
  unreadable?(work: Work<State>, members: JsonObject): boolean;
  /** Handles text on stdout that is not JSON. Returns false if the text has no meaning here. */
  text?(work: Work<State>, text: string): boolean;
  started?(work: Work<State>): void;
  capabilities(work: Work<State>): Capabilities;
  /** Returns the agent's own session, if another process of the agent can resume it. */
  resumable?(work: Work<State>): string | null;
  /** Returns the program that speaks, once it has identified itself. */
  program?(work: Work<State>): ProgramVersion | null;
  /** Returns the type of an unknown message. */
  typeOf(message: JsonObject): string;
}

export function dialectOf<State extends DialectState>(parts: DialectParts<State>): Dialect<State> {
  return {
    source: parts.source,
    initial: (options = {}) => parts.initial(options),
    step(before, input): Step<State> {
      if (input.type !== 'command') return stepOf(before, input.at, (work) => take(parts, work, input));
      try {
        return stepOf(before, input.at, (work) => takeCommand(parts, work, input));
      } catch (error) {
        // The command stays in the log, so a driver that failed on it would fail again at each start. Nothing of it has been
        // carried out.
        const refusal = { code: 'failed' as const, message: `the driver failed on it: ${(error as Error).message}` };
        return stepOf(before, input.at, ({ ledger }) => refuseCommand(ledger, input, refusal));
      }
    },
  };

  function stepOf(before: State, at: number, act: (work: Work<State>) => void): Step<State> {
    const state = copyOf(before);
    const work: Work<State> = { state, ledger: new Ledger(state.ledger, at) };
    act(work);
    tellVersion(parts, work);
    work.ledger.settle(work.detail);
    const { events, writes, closes } = work.ledger;
    return { state, events, writes, ...(closes ? { closes } : {}) };
  }
}

function takeCommand<State extends DialectState>(
  parts: DialectParts<State>,
  work: Work<State>,
  input: CommandInput,
): void {
  // An answer of the policy comes from the driver itself, and a command that an older driver accepted stays accepted.
  const isChecked = input.rule === undefined && !input.isUnbound;
  const fault = isChecked ? commandFault(input.command) : null;
  if (fault === null) return carryOut(work.ledger, capabilitiesOf(parts, work), input);
  refuseCommand(work.ledger, input, { code: 'invalid', message: `this is not a valid command: ${fault}` });
}

function capabilitiesOf<State extends DialectState>(parts: DialectParts<State>, work: Work<State>): Capabilities {
  return work.state.options.isReadOnly ? {} : parts.capabilities(work);
}

function take<State extends DialectState>(
  parts: DialectParts<State>,
  work: Work<State>,
  input: Exclude<DriverInput, CommandInput>,
): void {
  const { ledger } = work;
  const capabilities = capabilitiesOf(parts, work);
  switch (input.type) {
    case 'line':
      ledger.isLineCut = input.isCut === true;
      takeLine(parts, work, input);
      deny(ledger, capabilities);
      return sendNext(ledger, capabilities);
    case 'started':
      return parts.started?.(work);
    case 'exited':
      return ledger.end(input, parts.resumable?.(work) ?? null);
    case 'input':
      return takeInput(ledger, input.input);
    case 'gap': {
      const text = `Output from ${input.from} to ${input.to} is missing; what was open there is closed.`;
      ledger.emit({ kind: 'notice', level: 'warning', code: 'gap', text });
      ledger.closeAll(text, 'gap');
    }
  }
}

const INPUT_TEXTS = {
  open: { level: 'info', text: 'The agent reads its input again.' },
  stuck: { level: 'warning', text: 'The agent does not read its input; what is sent to it waits.' },
  closed: { level: 'error', text: 'The agent has closed its input, and still runs; nothing more can be sent to it.' },
} as const;

function takeInput(ledger: Ledger, state: keyof typeof INPUT_TEXTS): void {
  if (state === 'closed') ledger.state.isInputClosed = true;
  ledger.emit({ kind: 'notice', code: `input-${state}`, ...INPUT_TEXTS[state] });
}

/** Reports a version that was not tested, once. */
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
  if (message === undefined && text.startsWith('{')) parts.unreadable?.(work, skimMembers(text));
  ledger.emit(rawEvent(line.isCut ? 'long-line' : message === undefined ? 'text' : 'json', message ?? text));
}

/** The limit of a line on stderr. */
const STDERR_CHARS_MAX = 4096;
