/** The control protocol: the agent's requests to its host, and the host's requests with their responses. */
import type { PermissionOption } from '@spool/protocol/agent';
import type { PermissionChoice } from '../ledger/commands.ts';
import { ID_RULE, isRequestId } from '../ledger/ledger.ts';
import { isObject, type JsonObject, listOf, objectOf, present, textOf, textsOf } from '../json-value.ts';
import { readQuestions } from '../questions.ts';
import { agentOf, type ClaudeWork } from './state.ts';
import { setMode } from './system.ts';
import { titleOf, toolKindOf } from './tools.ts';

/** The tool that asks the user: its answer is a question's, not a permission's. */
const ASKS_USER = 'AskUserQuestion';

export function controlRequest(work: ClaudeWork, line: JsonObject): boolean {
  const id = line.request_id;
  const request = objectOf(line.request);
  if (typeof id !== 'string' || !isRequestId(id)) return refuseId(work, id);
  if (request.subtype === 'can_use_tool') return canUseTool(work, id, request);
  if (request.subtype === 'hook_callback') {
    const name = textOf(objectOf(request.input).hook_event_name) ?? textOf(request.callback_id) ?? 'hook';
    work.ledger.emit({ kind: 'hook', phase: 'started', name, id });
    respond(work, id, {});
    work.ledger.emit({ kind: 'hook', phase: 'done', name, id });
    return true;
  }
  respondError(work, id, 'unsupported request');
  return false;
}

/** Refuses a request that no answer could identify. */
function refuseId(work: ClaudeWork, id: unknown): boolean {
  work.ledger.refuseRequest('a request without a usable id');
  respondError(work, id ?? null, `Denied by Spool: ${ID_RULE}.`);
  return true;
}

/** Refuses a request of whose line only these members could be read. */
export function unreadableRequest(work: ClaudeWork, { type, request_id: id }: JsonObject): boolean {
  if (type !== 'control_request') return false;
  work.ledger.refuseRequest('a request that is too large or too deep to be read');
  respondError(work, id ?? null, 'Denied by Spool: the request is too large or too deep to be shown.');
  return true;
}

/** Answers a request with an error, which the agent takes as a denial. Without an answer the agent would wait forever. */
function respondError(work: ClaudeWork, id: unknown, error: string): void {
  if (work.state.options.isReadOnly) return;
  work.ledger.write({ type: 'control_response', response: { subtype: 'error', request_id: id, error } });
}

export function canUseTool(work: ClaudeWork, request: string, asked: JsonObject): boolean {
  const { ledger, state } = work;
  const name = textOf(asked.tool_name) ?? '';
  const input = objectOf(asked.input);
  const tool = textOf(asked.tool_use_id) ?? request;
  const agent = agentOf(asked);
  if (!agent) ledger.ensureTurn();
  const suggestions = [...listOf(asked.permission_suggestions)];
  if (!ledger.hasTool(tool))
    ledger.startTool(tool, { name, toolKind: toolKindOf(name), title: titleOf(name, input), input, agent });
  const { questions, rest } = readQuestions(input, { multi: 'multiSelect' });
  const isNew =
    name === ASKS_USER
      ? ledger.askQuestion(request, { tool, name, questions, input: rest })
      : ledger.askPermission(request, {
          tool,
          name,
          title: textOf(asked.title),
          reason: textOf(asked.decision_reason) ?? textOf(asked.description),
          input: asked.input ?? input,
          options: optionsOf(suggestions),
          agent,
          ...(asked.requires_user_interaction === true ? { humanOnly: true } : {}),
        });
  // The input of the first use of this id was shown, and is the one that an answer allows.
  if (isNew) state.asked[request] = { tool, name, input };
  // No answer can allow such an input as it was shown, because an answer only has room for an object.
  if (isNew && (asked.input ?? undefined) !== undefined && !isObject(asked.input))
    ledger.denials.push({ request, message: 'Denied by Spool: the input of the tool is not an object.' });
  return true;
}

function optionsOf(suggestions: readonly unknown[]): PermissionOption[] {
  return [
    { id: 'allow_once', label: 'Allow once', kind: 'allow_once' },
    ...suggestions.map((effect, at): PermissionOption => ({
      id: `allow_always_${at + 1}`,
      label: suggestionLabel(objectOf(effect)),
      kind: 'allow_always',
      effect,
    })),
    { id: 'reject_once', label: 'Deny', kind: 'reject_once' },
  ];
}

function suggestionLabel(suggestion: JsonObject): string {
  switch (suggestion.type) {
    case 'setMode':
      return `Allow, and switch to mode ${textOf(suggestion.mode) ?? ''}`;
    case 'addDirectories':
      return `Allow, and trust ${textsOf(suggestion.directories).join(', ')}`;
    case 'addRules': {
      const rules = listOf(suggestion.rules).map((rule) => {
        const { toolName, ruleContent } = objectOf(rule);
        return ruleContent === undefined ? textOf(toolName) : `${textOf(toolName)}(${textOf(ruleContent)})`;
      });
      return `Always allow ${rules.join(', ')}`;
    }
    default:
      return 'Allow, and do not ask again';
  }
}

/** Handles the agent's withdrawal of a request. */
export function controlCancel({ ledger, state }: ClaudeWork, line: JsonObject): boolean {
  const request = textOf(line.request_id);
  if (request === undefined) return false;
  delete state.asked[request];
  ledger.withdraw(request, 'withdrawn by the agent');
  return true;
}

/** Handles the response to our request, or to that of the client in a recording. */
export function controlResponse(work: ClaudeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const response = objectOf(line.response);
  const id = textOf(response.request_id) ?? '';
  const pending = state.pending[id];
  delete state.pending[id];
  const content = objectOf(response.response);
  if (response.subtype === 'error') {
    const text = textOf(response.error) ?? 'the agent refused a request';
    ledger.emit({ kind: 'notice', level: 'error', text, ...present({ code: textOf(response.error_code) }) });
  }
  if (pending?.subtype === 'initialize') {
    state.ledger.isReady = true;
    const commands = listOf(content.commands).flatMap((command) => textOf(objectOf(command).name) ?? []);
    if (commands.length > 0) ledger.emit({ kind: 'session.updated', commands });
  } else if (pending && response.subtype === 'success') {
    if (pending.subtype === 'set_permission_mode') setMode(work, pending.value);
    if (pending.subtype === 'set_model' && pending.value !== undefined) {
      state.model = pending.value;
      ledger.emit({ kind: 'session.updated', model: pending.value });
    }
    const output = textOf(content.output);
    if (pending.subtype === 'get_task_output' && pending.value !== undefined && output !== undefined)
      ledger.setOutput(pending.value, output);
  }
  return true;
}

/** Answers `can_use_tool`. */
export function answerPermission(work: ClaudeWork, request: string, choice: PermissionChoice): boolean {
  const asked = work.state.asked[request];
  delete work.state.asked[request];
  respond(work, request, permissionAnswer(choice, asked?.input));
  return true;
}

/** Returns the answer in Claude's format, which a hook returns too. */
export function permissionAnswer(choice: PermissionChoice, input: JsonObject | undefined): JsonObject {
  if (choice.decision === 'deny') {
    const message = choice.message ?? 'The user denied this.';
    return { behavior: 'deny', message, ...(choice.interrupt ? { interrupt: true } : {}) };
  }
  const updatedInput = isObject(choice.input) ? choice.input : input;
  const { effect } = choice.option ?? {};
  return {
    behavior: 'allow',
    ...(updatedInput ? { updatedInput } : {}),
    ...(effect === undefined ? {} : { updatedPermissions: [effect] }),
  };
}

export function answerQuestion(
  work: ClaudeWork,
  request: string,
  answers: Readonly<Record<string, unknown>> | undefined,
): void {
  const asked = work.state.asked[request];
  delete work.state.asked[request];
  respond(work, request, questionAnswer(answers, asked?.input));
}

/** Returns the answers in Claude's format; without answers, a refusal. */
export function questionAnswer(
  answers: Readonly<Record<string, unknown>> | undefined,
  input: JsonObject | undefined,
): JsonObject {
  if (!answers) return { behavior: 'deny', message: 'The user declined to answer.' };
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

function respond(work: ClaudeWork, request: string, response: JsonObject): void {
  if (work.state.options.isReadOnly) return;
  work.ledger.write({ type: 'control_response', response: { subtype: 'success', request_id: request, response } });
}

/** Notes an answer that another client wrote, in a recording. */
export function sentResponse({ state, ledger }: ClaudeWork, line: JsonObject): void {
  const response = objectOf(line.response);
  const request = textOf(response.request_id) ?? '';
  const content = objectOf(response.response);
  delete state.asked[request];
  const message = textOf(content.message) ?? textOf(response.error);
  const isAllowed = response.subtype === 'success' && content.behavior === 'allow';
  ledger.resolvePermission(request, isAllowed ? 'allow' : 'deny', 'watcher', { message });
  const { answers } = objectOf(content.updatedInput);
  ledger.resolveQuestion(request, isAllowed ? 'answered' : 'declined', 'watcher', {
    answers: isObject(answers) ? answers : undefined,
  });
}
