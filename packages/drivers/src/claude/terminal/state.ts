/** The state of Claude in a terminal, and the lines for its hooks. */
import type { DialectOptions } from '../../dialect.ts';
import type { JsonObject } from '../../json-value.ts';
import type { Work } from '../../ledger/stepper.ts';
import { type ClaudeState, initialClaude } from '../state.ts';

export interface TerminalState extends ClaudeState {
  /** The position up to which each file of the transcript was taken. */
  positions: Record<string, number>;
  /** The latest tool calls that a hook has announced, because a request does not name its call. */
  announced: { tool: string; name: string; input: string }[];
  /** The prompt of the turn. */
  prompt: string | null;
  /** Whether a hook has reported the end of the turn; the transcript ends it. */
  isStopping: boolean;
  /** Whether Claude has been busy since the turn began. */
  wasBusy: boolean;
  /** The requests whose dialog is on the screen, according to the session file. */
  shown: string[];
  /** The tool that started each subagent. */
  subagents: Record<string, string>;
  /** The message whose tokens were counted last. */
  counted: string | null;
}

export type TerminalWork = Work<TerminalState>;

export function initialTerminal(options: DialectOptions): TerminalState {
  return {
    ...initialClaude(options),
    positions: {},
    announced: [],
    prompt: null,
    isStopping: false,
    wasBusy: false,
    shown: [],
    subagents: {},
    counted: null,
  };
}

/** Answers a hook that waits. */
export function write({ ledger }: TerminalWork, request: string, decision: JsonObject): void {
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
  ledger.write({ answer: request, output });
}

/** Ends a hook whose request was answered in the terminal: Claude leaves it running. */
export function release({ ledger, state }: TerminalWork, request: string): void {
  delete state.asked[request];
  ledger.write({ answer: request, output: '' });
}
