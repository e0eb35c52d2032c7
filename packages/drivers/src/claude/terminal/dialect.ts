/**
 * Claude Code in its own terminal: its hooks and its transcript as events (decision 230). A line is a report of a hook, what a hook
 * did with an answer, a line of the transcript, or the status that Claude writes into its session file. Keeps CHAN-4: the order of
 * the events is that of the transcript; hooks only report earlier that a prompt was sent, or a permission requested.
 */
import type { DialectOptions } from '../../dialect.ts';
import { type JsonObject, numberOf, objectOf, textOf } from '../../json-value.ts';
import type { Capabilities } from '../../ledger/commands.ts';
import { dialectOf } from '../../ledger/stepper.ts';
import { permissionAnswer, questionAnswer } from '../control.ts';
import { cancelled, hook, took } from './hooks.ts';
import { initialTerminal, type TerminalState, type TerminalWork, write } from './state.ts';
import { sessionStatus } from './session-status.ts';
import { transcriptLine } from './transcript.ts';

export const claudeTerminal = dialectOf<TerminalState>({
  source: 'claude',
  initial: (options: DialectOptions) => initialTerminal(options),
  message,
  capabilities,
  program: ({ state }) => (state.version === null ? null : { name: 'claude', version: state.version }),
  resumable: ({ state }) => (state.ledger.turns > 0 ? state.session : null),
  typeOf: (line) => Object.keys(line)[0] ?? 'unknown',
});

function message(work: TerminalWork, line: JsonObject): boolean {
  const { state } = work;
  const file = textOf(line.file);
  if (file !== undefined) {
    // Two drivers may have recorded the same line, if the first was slow to end.
    const from = numberOf(line.from) ?? 0;
    if (from < (state.positions[file] ?? 0)) return true;
    state.positions[file] = numberOf(line.to) ?? from;
    return transcriptLine(work, objectOf(line.line));
  }
  if (line.hook !== undefined) return hook(work, line);
  if (line.took !== undefined) return took(work, textOf(line.took) ?? '');
  if (line.cancelled !== undefined) return cancelled(work, textOf(line.cancelled) ?? '');
  if (line.status !== undefined) return sessionStatus(work, objectOf(line.status));
  return false;
}

function capabilities(work: TerminalWork): Capabilities {
  return {
    areAnswersHeld: true,
    takesInput: true,
    permission(request, choice) {
      write(work, request, permissionAnswer(choice, work.state.asked[request]?.input));
      return true;
    },
    question: (request, answers) => write(work, request, questionAnswer(answers, work.state.asked[request]?.input)),
  };
}
