/** The requests of Codex and their answers: approvals, questions and forms of MCP servers. */
import type { PermissionOption, AgentQuestion } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, objectOf, textOf, textsOf } from '../json-value.ts';
import { newKey, openKey } from '../json-rpc.ts';
import { besides, membersOf, readQuestions } from '../questions.ts';
import type { PermissionChoice } from '../ledger/commands.ts';
import { quoteWords } from '../policy/quoting.ts';
import { diffsOf } from './items.ts';
import { type CodexWork, sendCodexRequest } from './state.ts';

/** The requests that a client here can answer. */
const REQUESTS: ReadonlySet<string> = new Set([
  'item/commandExecution/requestApproval',
  'execCommandApproval',
  'item/fileChange/requestApproval',
  'applyPatchApproval',
  'item/permissions/requestApproval',
  'item/tool/requestUserInput',
  'mcpServer/elicitation/request',
]);

export const isCodexRequest = (method: string): boolean => REQUESTS.has(method);

export function takeApproval(work: CodexWork, id: string | number, method: string, params: JsonObject): boolean {
  const { state, ledger } = work;
  // Codex repeats an open request to a client that connects late; the ledger compares the two.
  const key = openKey(state.asked, id) ?? newKey(ledger, state.rpc, id);
  let isNew: boolean;
  const tool = textOf(params.itemId) ?? textOf(params.callId);
  const about = { tool, reason: textOf(params.reason) };
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'execCommandApproval': {
      const input = inputOf(params);
      // A list is shown as a line that a shell would split into these words.
      const title = textOf(params.command) ?? quoteWords(textsOf(params.command));
      if (tool !== undefined && !ledger.hasTool(tool))
        ledger.startTool(tool, { name: 'shell', toolKind: 'execute', title, input });
      isNew = ledger.askPermission(key, { ...about, name: 'shell', title, input, options: optionsOf(params) });
      break;
    }
    case 'item/fileChange/requestApproval':
    case 'applyPatchApproval':
      isNew = ledger.askPermission(key, {
        ...about,
        name: 'apply_patch',
        title: textOf(params.grantRoot) ?? 'change files',
        input: inputOf(params),
        diffs: diffsOf(params),
        options: optionsOf(params),
      });
      break;
    case 'item/permissions/requestApproval':
      isNew = ledger.askPermission(key, {
        ...about,
        name: 'permissions',
        title: 'more permissions',
        input: params.permissions,
        options: optionsOf({}),
      });
      break;
    case 'item/tool/requestUserInput':
      isNew = ledger.askQuestion(key, { tool, ...questionInput(params) });
      break;
    case 'mcpServer/elicitation/request':
      isNew = ledger.askQuestion(key, {
        questions: [{ id: 'content', text: textOf(params.message) ?? '', options: [], freeText: true }],
        schema: params.requestedSchema,
        input: membersOf(besides(inputOf(params), ['message', 'requestedSchema'])),
      });
      break;
    default:
      // No client here can answer it; without an answer the agent would wait forever.
      if (!state.options.isReadOnly)
        ledger.write({ id, error: { code: -32601, message: `${method} is not supported` } });
      return false;
  }
  if (isNew) state.asked[key] = { id, method, params };
  return true;
}

/** The members that name places in the protocol, are shown as options, are shown as a diff, or are the agent's words. */
const NOT_INPUT: ReadonlySet<string> = new Set([
  'threadId',
  'turnId',
  'itemId',
  'approvalId',
  'callId',
  'conversationId',
  'startedAtMs',
  'availableDecisions',
  'fileChanges',
  'reason',
]);

/** Returns all other members of the request, so that a member of a later version is shown too. */
function inputOf(params: JsonObject): JsonObject {
  const members = Object.entries(params).filter(
    ([key, value]) => !NOT_INPUT.has(key) && value !== null && value !== undefined,
  );
  return Object.fromEntries(members);
}

const LABELS: Readonly<Record<string, string>> = {
  accept: 'Allow once',
  acceptForSession: 'Allow for this session',
  acceptWithExecpolicyAmendment: 'Allow, and always allow commands like this',
  applyNetworkPolicyAmendment: 'Allow, and remember it for this host',
  decline: 'Deny',
  cancel: 'Deny, and stop the turn',
};

function optionsOf(params: JsonObject): PermissionOption[] {
  const offered = listOf(params.availableDecisions);
  const options = offered.flatMap((decision): PermissionOption[] => {
    const id = textOf(decision) ?? Object.keys(objectOf(decision))[0];
    return id === undefined ? [] : [optionOf(id, isObject(decision) ? decision : undefined)];
  });
  // These options work even if Codex does not offer them.
  for (const id of ['accept', 'acceptForSession', 'decline', 'cancel'])
    if (!options.some((option) => option.id === id)) options.push(optionOf(id));
  // A denial without a choice applies to this one command: the turn continues.
  return options.toSorted((a, b) => Number(a.id === 'cancel') - Number(b.id === 'cancel'));
}

function optionOf(id: string, effect?: unknown): PermissionOption {
  const label = Object.hasOwn(LABELS, id) ? LABELS[id]! : id;
  const isAllowing = /^(accept|apply)/.test(id);
  const kind = id === 'accept' ? 'allow_once' : isAllowing ? 'allow_always' : 'reject_once';
  return { id, label, kind, ...(effect === undefined ? {} : { effect }) };
}

function questionInput(params: JsonObject): { readonly questions: readonly AgentQuestion[]; readonly input: unknown } {
  const { questions, rest } = readQuestions(inputOf(params), { other: 'isOther', id: 'member' });
  return { questions, input: rest };
}

/**
 * Answers a permission. An answer has no place for a message, so the message is sent into the turn before the answer lets it
 * continue.
 */
export function answerPermission(work: CodexWork, key: string, choice: PermissionChoice): boolean {
  const { state, ledger } = work;
  const ask = state.asked[key];
  delete state.asked[key];
  if (!ask) return false;
  const isAllowed = choice.decision === 'allow';
  const legacy = ask.method === 'execCommandApproval' || ask.method === 'applyPatchApproval';
  const id = choice.option?.id ?? (isAllowed ? 'accept' : choice.interrupt ? 'cancel' : 'decline');
  const isTold = !isAllowed && id !== 'cancel' && !choice.interrupt && Boolean(choice.message) && state.turn !== null;
  if (isTold) {
    const input = [{ type: 'text', text: choice.message, text_elements: [] }];
    sendCodexRequest(work, 'turn/steer', { threadId: state.thread, expectedTurnId: state.turn, input });
  }
  if (ask.method === 'item/permissions/requestApproval') {
    const permissions = isAllowed ? objectOf(ask.params).permissions : {};
    ledger.write({ id: ask.id, result: { permissions, scope: id === 'acceptForSession' ? 'session' : 'turn' } });
  } else if (legacy) {
    const decision = isAllowed ? (id === 'acceptForSession' ? 'approved_for_session' : 'approved') : 'denied';
    ledger.write({ id: ask.id, result: { decision } });
  } else {
    const decision = choice.interrupt && !isAllowed ? 'cancel' : (choice.option?.effect ?? id);
    ledger.write({ id: ask.id, result: { decision } });
  }
  return isTold;
}

export function answerQuestion(
  { state, ledger }: CodexWork,
  key: string,
  answers: Readonly<Record<string, unknown>> | undefined,
): void {
  const ask = state.asked[key];
  delete state.asked[key];
  if (!ask) return;
  if (ask.method === 'mcpServer/elicitation/request') {
    ledger.write({ id: ask.id, result: answers ? { action: 'accept', content: answers } : { action: 'decline' } });
    return;
  }
  const given = Object.entries(answers ?? {}).map(([id, answer]) => [id, { answers: [answer].flat().map(String) }]);
  ledger.write({ id: ask.id, result: { answers: Object.fromEntries(given) } });
}

/** Notes an answer that another client wrote, in a recording. */
export function noteCodexAnswer({ state, ledger }: CodexWork, id: string | number, message: JsonObject): void {
  const key = openKey(state.asked, id);
  if (key === undefined) return;
  delete state.asked[key];
  const { decision, answers } = objectOf(message.result);
  const option = textOf(decision) ?? Object.keys(objectOf(decision))[0];
  const isAllowed = option !== undefined && optionOf(option).kind.startsWith('allow');
  ledger.resolvePermission(key, isAllowed ? 'allow' : 'deny', 'watcher', { option });
  ledger.resolveQuestion(key, isObject(answers) ? 'answered' : 'declined', 'watcher', {
    answers: isObject(answers) ? answers : undefined,
  });
}
