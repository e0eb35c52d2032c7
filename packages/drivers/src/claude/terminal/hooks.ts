/**
 * Handles the reports of Claude's hooks in a terminal: prompts, requests, tools that ran, and answers that a hook took or lost. Keeps
 * CHAN-8: a request that no hook holds is left to the terminal; and CHAN-42.
 */
import { isObject, type JsonObject, objectOf, present, textOf } from '../../json-value.ts';
import { canUseTool } from '../control.ts';
import { setMode } from '../system.ts';
import { release, type TerminalWork } from './state.ts';

/** The number of tool calls that are remembered until their permission is requested. */
const ANNOUNCED_MAX = 32;
/** Matches a prompt by which background work reports its end. */
const TASK_REPORT = '<task-notification>';

export function hook(work: TerminalWork, line: JsonObject): boolean {
  const input = objectOf(line.input);
  const { state, ledger } = work;
  setMode(work, textOf(input.permission_mode));
  switch (input.hook_event_name) {
    case 'SessionStart':
      return sessionStart(work, input);
    case 'UserPromptSubmit':
      promptSubmitted(work, textOf(input.prompt) ?? '', textOf(input.prompt_id) ?? null);
      return true;
    case 'PreToolUse':
      state.announced.push({
        tool: textOf(input.tool_use_id) ?? '',
        name: textOf(input.tool_name) ?? '',
        input: sortedJson(input.tool_input),
      });
      if (state.announced.length > ANNOUNCED_MAX) state.announced.shift();
      return true;
    case 'PermissionRequest':
      // A request that no hook holds can only be answered in the terminal.
      if (line.isHeld === true) permissionRequest(work, textOf(line.hook) ?? '', input);
      return true;
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return toolRan(work, input);
    case 'Stop':
    case 'StopFailure':
      state.isStopping = ledger.state.turn !== null;
      return true;
    default:
      return true;
  }
}

function sessionStart(work: TerminalWork, input: JsonObject): boolean {
  const { ledger, state } = work;
  const agentSession = textOf(input.session_id);
  const model = textOf(input.model);
  state.ledger.isReady = true;
  if (!state.isStarted) {
    const about = { agentSession, model, mode: state.mode ?? undefined, cwd: textOf(input.cwd) };
    ledger.emit({ kind: 'session.started', agentName: 'claude', ...present(about) });
  } else if (input.source === 'clear')
    ledger.emit({ kind: 'session.reset', reason: 'clear', ...present({ agentSession }) });
  else if (agentSession !== state.session)
    ledger.emit({ kind: 'session.updated', ...present({ agentSession, model }) });
  state.isStarted = true;
  state.session = agentSession ?? state.session;
  state.model = model ?? state.model;
  return true;
}

/** Starts the turn of a prompt: the hook reports it first, then the transcript. */
export function promptSubmitted(work: TerminalWork, text: string, id: string | null): void {
  const { ledger, state } = work;
  if (id !== null && id === state.prompt) return;
  const isTask = text.startsWith(TASK_REPORT);
  const content = [{ type: 'text' as const, text }];
  if (ledger.state.turn !== null && !state.isStopping && !isTask) {
    // A prompt that was typed while Claude worked joins the turn.
    state.prompt = id;
    ledger.emit({ kind: 'prompt', state: 'echo', content });
    return;
  }
  ledger.endTurn({ outcome: 'completed' }, (tool) => tool.agent !== undefined);
  state.prompt = id;
  state.isStopping = false;
  state.wasBusy = false;
  ledger.startTurn(isTask ? 'task' : 'user', isTask ? {} : { prompt: content });
}

function permissionRequest(work: TerminalWork, request: string, input: JsonObject): void {
  const { state } = work;
  const name = textOf(input.tool_name) ?? '';
  const wanted = sortedJson(input.tool_input);
  const call = state.announced.findLast((each) => each.name === name && each.input === wanted);
  canUseTool(work, request, {
    tool_name: name,
    input: input.tool_input,
    tool_use_id: call?.tool ?? request,
    permission_suggestions: input.permission_suggestions,
  });
}

/** Handles a tool that has ended, whose request was therefore allowed. */
function toolRan(work: TerminalWork, input: JsonObject): boolean {
  const { state } = work;
  const tool = textOf(input.tool_use_id);
  const started = textOf(objectOf(input.tool_response).agentId);
  if (tool !== undefined && started !== undefined) state.subagents[started] = tool;
  for (const [request, asked] of Object.entries(state.asked)) if (asked.tool === tool) allowedInTerminal(work, request);
  return true;
}

/** Resolves a request that the user has allowed in the terminal. */
export function allowedInTerminal(work: TerminalWork, request: string): void {
  const { ledger } = work;
  release(work, request);
  ledger.resolvePermission(request, 'allow', 'terminal');
  ledger.resolveQuestion(request, 'answered', 'terminal');
}

/**
 * Handles a hook that has given its answer to Claude. If the user allowed in the terminal just before, Claude has ignored a refusal: only
 * the result of the tool shows which of the two counts.
 */
export function took({ ledger, state }: TerminalWork, request: string): boolean {
  const ask = ledger.state.asks[request];
  if (ask?.held?.decision === 'deny') {
    ask.isAnswered = true;
    return true;
  }
  delete state.asked[request];
  ledger.answerTaken(request);
  return true;
}

/** Handles a hook that Claude has ended: the user has refused in the terminal. */
export function cancelled({ ledger, state }: TerminalWork, request: string): boolean {
  delete state.asked[request];
  ledger.resolvePermission(request, 'deny', 'terminal');
  ledger.resolveQuestion(request, 'declined', 'terminal');
  return true;
}

/** Returns JSON that is equal for equal values, because a hook and a transcript order members differently. */
function sortedJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
    ) ?? ''
  );
}
