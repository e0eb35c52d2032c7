/** What Codex asks: approvals, questions and forms of MCP servers; and how each is answered. */
import type { PermissionOption, Question } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, objectOf, present, textOf } from '../json-value.ts';
import { newKey, openKey } from '../json-rpc.ts';
import type { Choice } from '../ledger/commands.ts';
import { diffsOf } from './items.ts';
import { type CodexWork, request } from './state.ts';

export function asked(work: CodexWork, id: string | number, method: string, params: JsonObject): boolean {
  const { state, ledger } = work;
  if (openKey(state.asked, id) !== undefined) return true; // Told again to a client that came late.
  const key = newKey(ledger, state.rpc, id);
  const tool = textOf(params.itemId) ?? textOf(params.callId);
  const about = { tool, reason: textOf(params.reason) };
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'execCommandApproval': {
      const command = textOf(params.command) ?? listOf(params.command).join(' ');
      const input = { command, ...present({ cwd: textOf(params.cwd) }) };
      if (tool !== undefined && !ledger.hasTool(tool))
        ledger.startTool(tool, { name: 'shell', toolKind: 'execute', title: command, input });
      ledger.askPermission(key, { ...about, name: 'shell', title: command, input, options: optionsOf(params) });
      break;
    }
    case 'item/fileChange/requestApproval':
    case 'applyPatchApproval':
      ledger.askPermission(key, {
        ...about,
        name: 'apply_patch',
        title: textOf(params.grantRoot) ?? 'change files',
        input: present({ grantRoot: textOf(params.grantRoot) }),
        diffs: diffsOf(params),
        options: optionsOf(params),
      });
      break;
    case 'item/permissions/requestApproval':
      ledger.askPermission(key, {
        ...about,
        name: 'permissions',
        title: 'more permissions',
        input: params.permissions,
        options: optionsOf({}),
      });
      break;
    case 'item/tool/requestUserInput':
      ledger.askQuestion(key, { tool, questions: listOf(params.questions).map(questionOf) });
      break;
    case 'mcpServer/elicitation/request':
      ledger.askQuestion(key, {
        questions: [{ id: 'content', text: textOf(params.message) ?? '', options: [], freeText: true }],
        schema: params.requestedSchema,
      });
      break;
    default:
      // Nobody here can answer it; without an answer the agent would wait for ever.
      if (!state.options.isReadOnly)
        ledger.write({ id, error: { code: -32601, message: `${method} is not supported` } });
      return false;
  }
  state.asked[key] = { id, method, params };
  return true;
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
  // These work although Codex does not always offer them.
  for (const id of ['accept', 'acceptForSession', 'decline', 'cancel'])
    if (!options.some((option) => option.id === id)) options.push(optionOf(id));
  // Who denies without choosing means this one command: the turn goes on.
  return options.toSorted((a, b) => Number(a.id === 'cancel') - Number(b.id === 'cancel'));
}

function optionOf(id: string, effect?: unknown): PermissionOption {
  const label = Object.hasOwn(LABELS, id) ? LABELS[id]! : id;
  const isAllowing = /^(accept|apply)/.test(id);
  const kind = id === 'accept' ? 'allow_once' : isAllowing ? 'allow_always' : 'reject_once';
  return { id, label, kind, ...(effect === undefined ? {} : { effect }) };
}

function questionOf(value: unknown): Question {
  const { id, header, question, isOther, options } = objectOf(value);
  return {
    id: textOf(id) ?? '',
    text: textOf(question) ?? '',
    freeText: isOther === true || listOf(options).length === 0,
    options: listOf(options).map((option) => {
      const { label, description } = objectOf(option);
      return { id: textOf(label) ?? '', label: textOf(label) ?? '', ...present({ description: textOf(description) }) };
    }),
    ...present({ header: textOf(header) }),
  };
}

/** An answer has no place for a message: it joins the turn, before the answer lets the turn go on. */
export function answerPermission(work: CodexWork, key: string, choice: Choice): boolean {
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
    request(work, 'turn/steer', { threadId: state.thread, expectedTurnId: state.turn, input });
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

/** An answer that another client wrote, in a recording. */
export function sentAnswer({ state, ledger }: CodexWork, id: string | number, message: JsonObject): void {
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
