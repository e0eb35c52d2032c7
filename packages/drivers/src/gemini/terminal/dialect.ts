/**
 * Gemini in its own terminal: the lines of its chat file as events (decision 235). The file can only be read, so a permission is
 * answered in the terminal. Keeps CHAN-30: each message and tool is taken once, even if Gemini writes its history again.
 *
 * A message is written when it is complete, and written again with its tools when these have ended. Nothing in the file ends a
 * turn, so the recorder adds a line when the terminal is idle.
 */
import type { ToolStatus } from '@spool/protocol/agent';
import type { DialectOptions } from '../../dialect.ts';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../../json-value.ts';
import { emptyLedger } from '../../ledger/state.ts';
import { dialectOf, type DialectState, type Work } from '../../ledger/stepper.ts';
import { describeGeminiTool, PLAN_TOOL, readPlan } from '../tools.ts';

/** Matches the first words of a message that Gemini itself writes. */
const OWN_CONTEXT = '<session_context>';
const CANCELLED = 'Request cancelled.';

interface ChatState extends DialectState {
  /** The position up to which each file was taken. */
  positions: Record<string, number>;
  session: string | null;
  /** Whether Gemini is writing its history again, as new messages; a line with all of them ends this. */
  isRepeating: boolean;
}

type ChatWork = Work<ChatState>;

export const geminiTerminal = dialectOf<ChatState>({
  source: 'gemini',
  initial: (options: DialectOptions) => ({
    ledger: emptyLedger(),
    options,
    positions: {},
    session: null,
    isRepeating: false,
  }),
  message,
  capabilities: () => ({}),
  resumable: ({ state }) => (state.ledger.turns > 0 ? state.session : null),
  typeOf: (line) => textOf(objectOf(line.line).type) ?? 'unknown',
});

function message(work: ChatWork, recorded: JsonObject): boolean {
  const { ledger, state } = work;
  if (recorded.isIdle === true) {
    ledger.endTurn({ outcome: 'completed' });
    return true;
  }
  const file = textOf(recorded.file);
  if (file === undefined) return false;
  // Two drivers may have recorded the same line, if the first was slow to end.
  const from = numberOf(recorded.from) ?? 0;
  if (from < (state.positions[file] ?? 0)) return true;
  state.positions[file] = numberOf(recorded.to) ?? from;
  return chatLine(work, objectOf(recorded.line));
}

function chatLine(work: ChatWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const session = textOf(line.sessionId);
  if (session !== undefined) {
    if (state.session !== session) ledger.emit({ kind: 'session.started', agentName: 'gemini', agentSession: session });
    state.session = session;
    state.ledger.isReady = true;
    return true;
  }
  if (line.$set !== undefined) {
    if (objectOf(line.$set).messages !== undefined) state.isRepeating = false;
    return true;
  }
  const text = contentText(line.content);
  if (line.type === 'user' && text.startsWith(OWN_CONTEXT)) state.isRepeating = true;
  if (state.isRepeating) return true;
  switch (line.type) {
    case 'user':
      // Results of tools are in the message that called them.
      if (text !== '') startTurn(work, text);
      return true;
    case 'gemini':
      return said(work, line, text);
    case 'info':
    case 'warning':
    case 'error':
      return notice(work, line.type, text);
    default:
      return false;
  }
}

function startTurn({ ledger }: ChatWork, text: string): void {
  ledger.endTurn({ outcome: 'completed', stopReason: 'next-prompt' });
  ledger.startTurn('user', { prompt: [{ type: 'text', text }] });
}

function said(work: ChatWork, line: JsonObject, text: string): boolean {
  const { ledger } = work;
  const message = textOf(line.id) ?? 'message';
  const isNew = !work.state.ledger.doneParts.some((key) => key.includes(message));
  ledger.ensureTurn();
  const thoughts = listOf(line.thoughts).map(objectOf);
  for (const [part, thought] of thoughts.entries())
    ledger.done({ kind: 'thinking', message, part }, thoughtText(thought));
  if (text !== '') ledger.done({ kind: 'message', message, part: thoughts.length }, text);
  for (const call of listOf(line.toolCalls)) toolCall(work, objectOf(call));
  const { input, output, cached, total } = objectOf(line.tokens);
  const tokens = {
    input: numberOf(input),
    output: numberOf(output),
    cacheRead: numberOf(cached),
    total: numberOf(total),
  };
  if (isNew && tokens.total !== undefined) ledger.emit({ kind: 'usage', scope: 'message', tokens: present(tokens) });
  return true;
}

const thoughtText = ({ subject, description }: JsonObject): string =>
  [textOf(subject), textOf(description)].filter((words) => words !== undefined && words !== '').join('\n\n');

const STATUSES: Readonly<Record<string, ToolStatus>> = { success: 'ok', error: 'error', cancelled: 'cancelled' };
/** The end of a tool that the user has not allowed. */
const DENIED = 'User denied execution';

function toolCall(work: ChatWork, call: JsonObject): void {
  const { ledger } = work;
  const tool = textOf(call.id);
  if (tool === undefined || ledger.hasEnded(tool)) return;
  const name = textOf(call.name) ?? '';
  const input = objectOf(call.args);
  work.detail = 'tool';
  if (!ledger.hasTool(tool)) ledger.startTool(tool, describeGeminiTool(name, input));
  const ended = STATUSES[textOf(call.status) ?? ''];
  if (ended === undefined) return;
  const output = outputOf(call);
  const status = ended === 'cancelled' && output.includes(DENIED) ? 'denied' : ended;
  if (name === PLAN_TOOL) ledger.emit({ kind: 'plan.updated', replace: true, entries: readPlan(input) });
  showChange(work, tool, objectOf(call.resultDisplay), status === 'ok');
  ledger.endTool(tool, { status, output: output === '' ? undefined : [{ type: 'text', text: output }] });
}

function showChange({ ledger }: ChatWork, tool: string, shown: JsonObject, isApplied: boolean): void {
  const path = textOf(shown.filePath);
  const newText = textOf(shown.newContent);
  if (path === undefined || newText === undefined) return;
  const oldText = textOf(shown.originalContent) ?? '';
  const isNew = oldText === '';
  const diff = {
    path,
    change: isNew ? ('add' as const) : ('modify' as const),
    oldText: isNew ? null : oldText,
    newText,
  };
  ledger.emit({ kind: 'file.changed', tool, phase: isApplied ? 'applied' : 'failed', diff });
}

/** Returns the result as the terminal shows it, otherwise as the model gets it. */
function outputOf(call: JsonObject): string {
  const response = objectOf(objectOf(objectOf(listOf(call.result)[0]).functionResponse).response);
  return textOf(call.resultDisplay) ?? textOf(response.error) ?? textOf(response.output) ?? '';
}

function notice({ ledger }: ChatWork, type: 'info' | 'warning' | 'error', text: string): boolean {
  if (text === CANCELLED) {
    ledger.endTurn({ outcome: 'interrupted' });
    return true;
  }
  ledger.emit({ kind: 'notice', level: type, code: 'gemini', text });
  if (type === 'error') ledger.endTurn({ outcome: 'failed', error: { code: 'gemini', message: text } });
  return true;
}

/** Returns the text of a message, which is a text or parts; some parts are results of tools. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap((part) => textOf(objectOf(part).text) ?? [])
    .join('\n');
}
