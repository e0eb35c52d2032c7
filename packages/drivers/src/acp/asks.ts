/**
 * Handles the requests of an ACP agent to its client: permissions and forms, and files and terminals, which Spool does not offer.
 */
import { OPTION_KINDS, type PermissionOption, type AgentQuestion } from '@spool/protocol/agent';
import { newKey, openKey } from '../json-rpc.ts';
import { isObject, type JsonObject, listOf, objectOf, present, textOf } from '../json-value.ts';
import type { PermissionChoice } from '../ledger/commands.ts';
import { besides, membersOf, readQuestions } from '../questions.ts';
import { type AcpWork, respond } from './state.ts';
import { askedName, diffsOf, hasRawInput, inputOf, parseToolKind, toolCall } from './tools.ts';

export function takeRequest(work: AcpWork, id: string | number, method: string, params: JsonObject): boolean {
  const { state, ledger } = work;
  const key = openKey(state.asked, id) ?? newKey(ledger, state.rpc, id);
  switch (method) {
    case 'session/request_permission': {
      ledger.closeParts();
      state.last = method;
      state.message = null;
      ledger.ensureTurn();
      const call = objectOf(params.toolCall);
      const tool = textOf(call.toolCallId) ?? null;
      const before = state.asked[key];
      state.asked[key] = { id, method, tool };
      toolCall(work, call);
      if (before) state.asked[key] = before;
      ledger.askPermission(key, {
        tool: tool ?? undefined,
        name: askedName(work, tool, call),
        toolKind: call.kind === undefined ? undefined : parseToolKind(call.kind),
        title: textOf(call.title),
        input: shownInput(work, call),
        diffs: diffsOf(call.content),
        options: listOf(params.options).map(optionOf),
        // If only the title describes a command, the model may have written that description.
        ...(hasRawInput(call) || inputOf(work, call) === undefined ? {} : { humanOnly: true }),
      });
      return true;
    }
    case 'elicitation/create':
      if (
        ledger.askQuestion(key, {
          tool: textOf(params.toolCallId),
          questions: questionsOf(params),
          schema: params.requestedSchema,
          input: membersOf(besides(params, [...PLACES, 'message', 'requestedSchema'])),
        })
      )
        state.asked[key] = { id, method, tool: textOf(params.toolCallId) ?? null };
      return true;
    case '_x.ai/ask_user_question': {
      const { questions, rest } = readQuestions(besides(params, PLACES), { multi: 'multiSelect' });
      if (ledger.askQuestion(key, { tool: textOf(params.toolCallId), questions, input: rest }))
        state.asked[key] = { id, method, tool: textOf(params.toolCallId) ?? null };
      return true;
    }
    default: {
      const isKnown = /^(fs|terminal)\//.test(method);
      if (isKnown) {
        const text = `The agent asked for ${method}${typeof params.path === 'string' ? ` of ${params.path}` : ''}.`;
        ledger.emit({ kind: 'notice', level: 'info', code: method, text });
      }
      // Without an answer the agent would wait forever.
      if (!state.options.isReadOnly && !state.options.isWatching)
        ledger.write({ jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not supported` } });
      return isKnown;
    }
  }
}

/**
 * Returns the input of the tool call with the data beside it: texts, in which some agents put a plan, and files that no other part
 * of the call names. The person who approves the call sees all of it.
 */
function shownInput(work: AcpWork, call: JsonObject): unknown {
  const input = inputOf(work, call) ?? call.rawInput;
  const content = listOf(call.content).filter((item) => objectOf(item).type !== 'diff');
  const named = new Set([...Object.values(objectOf(input)), ...diffsOf(call.content).map(({ path }) => path)]);
  const locations = listOf(call.locations).filter((location) => !named.has(objectOf(location).path));
  const beside = { ...(content.length > 0 && { content }), ...(locations.length > 0 && { locations }) };
  if (Object.keys(beside).length === 0) return input;
  return isObject(input) ? { ...input, ...beside } : present({ rawInput: input, ...beside });
}

function optionOf(value: unknown): PermissionOption {
  const { optionId, name, kind } = objectOf(value);
  const id = textOf(optionId) ?? '';
  const label = textOf(name) ?? id;
  const known = OPTION_KINDS.find((each) => each === kind) ?? 'other';
  return { id, label, kind: known === 'allow_once' && ALLOWS_MORE.test(`${id} ${label}`) ? 'allow_always' : known };
}

/**
 * The words of an option that allows more than this one request, whatever its kind: Grok calls `enable-always-approve` ("don't ask
 * again for anything") `allow_once`. A word too many here only means that the option must be chosen by its id.
 */
const ALLOWS_MORE =
  /always|again|\ball\b|anything|every|session|bypass|\bauto\b|yolo|trust|permanent|remember|forever/i;

/** The members that name places in the protocol. */
const PLACES: readonly string[] = ['sessionId', 'toolCallId'];

/** Returns the questions of a form: one for each property of its schema. */
function questionsOf(params: JsonObject): AgentQuestion[] {
  const properties = Object.entries(objectOf(objectOf(params.requestedSchema).properties));
  const message = textOf(params.message) ?? '';
  if (properties.length === 0) return [{ id: 'content', text: message, options: [], freeText: true }];
  return properties.map(([id, value]) => {
    const { title, description, oneOf, enum: words } = objectOf(value);
    const choices = listOf(oneOf).map((choice) => {
      const { const: word, title: label } = objectOf(choice);
      return { id: String(word), label: textOf(label) ?? String(word) };
    });
    const named = listOf(words).map((word) => ({ id: String(word), label: String(word) }));
    const options = choices.length > 0 ? choices : named;
    return {
      id,
      text: textOf(description) ?? message,
      options,
      freeText: options.length === 0,
      ...present({ header: textOf(title) }),
    };
  });
}

/** The protocol has no place for a message. */
export function answerPermission(work: AcpWork, key: string, choice: PermissionChoice): false {
  const { state } = work;
  const ask = state.asked[key];
  delete state.asked[key];
  if (!ask) return false;
  if (choice.decision === 'deny' && ask.tool !== null) state.denied.push(ask.tool);
  const outcome = choice.option ? { outcome: 'selected', optionId: choice.option.id } : { outcome: 'cancelled' };
  respond(work, ask.id, { outcome });
  return false;
}

export function answerQuestion(
  work: AcpWork,
  key: string,
  answers: Readonly<Record<string, unknown>> | undefined,
): void {
  const { state } = work;
  const ask = state.asked[key];
  delete state.asked[key];
  if (!ask) return;
  if (ask.method === 'elicitation/create')
    respond(work, ask.id, answers ? { action: 'accept', content: answers } : { action: 'decline' });
  else respond(work, ask.id, answers ? { outcome: 'accepted', answers } : { outcome: 'cancelled' });
}

/** Answers every open request; the protocol demands that before a turn is cancelled. */
export function cancelAsks(work: AcpWork): void {
  const { state, ledger } = work;
  for (const [key, ask] of Object.entries(state.asked)) {
    const isForm = ask.method === 'elicitation/create';
    respond(
      work,
      ask.id,
      isForm
        ? { action: 'cancel' }
        : { outcome: ask.method === 'session/request_permission' ? { outcome: 'cancelled' } : 'cancelled' },
    );
    delete state.asked[key];
    ledger.withdraw(key, 'interrupted');
  }
}

/** Notes an answer that another client wrote, in a recording. */
export function noteAcpAnswer({ state, ledger }: AcpWork, id: string | number, message: JsonObject): void {
  const key = openKey(state.asked, id);
  const ask = key === undefined ? undefined : state.asked[key];
  if (key === undefined || !ask) return;
  delete state.asked[key];
  const result = objectOf(message.result);
  const { outcome, optionId } = objectOf(result.outcome);
  const option = textOf(optionId);
  const kind = ledger.state.asks[key]?.options.find((offered) => offered.id === option)?.kind;
  const decision = outcome !== 'selected' ? 'cancelled' : kind?.startsWith('reject') ? 'deny' : 'allow';
  if (decision === 'deny' && ask.tool !== null) state.denied.push(ask.tool);
  ledger.resolvePermission(key, decision, 'watcher', { option });
  const answers = isObject(result.content) ? result.content : isObject(result.answers) ? result.answers : undefined;
  ledger.resolveQuestion(key, answers ? 'answered' : 'declined', 'watcher', { answers });
}
