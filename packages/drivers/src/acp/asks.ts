/** What an ACP agent asks of its client: permissions, forms; files and terminals, which Spool does not offer. */
import { OPTION_KINDS, type PermissionOption, type Question } from '@spool/protocol/agent';
import { newKey, openKey } from '../json-rpc.ts';
import { isObject, type JsonObject, listOf, objectOf, present, textOf } from '../json-value.ts';
import type { Choice } from '../ledger/commands.ts';
import { type AcpWork, respond } from './state.ts';
import { diffsOf, inputOf, toolCall } from './tools.ts';

export function asked(work: AcpWork, id: string | number, method: string, params: JsonObject): boolean {
  const { state, ledger } = work;
  const key = newKey(ledger, state.rpc, id);
  switch (method) {
    case 'session/request_permission': {
      ledger.closeParts();
      state.last = method;
      state.message = null;
      ledger.ensureTurn();
      const call = objectOf(params.toolCall);
      const tool = textOf(call.toolCallId) ?? null;
      state.asked[key] = { id, method, tool };
      toolCall(work, call);
      ledger.askPermission(key, {
        tool: tool ?? undefined,
        name: tool === null ? undefined : ledger.toolName(tool),
        title: textOf(call.title),
        input: inputOf(work, call) ?? call.rawInput,
        diffs: diffsOf(call.content),
        options: listOf(params.options).map(optionOf),
      });
      return true;
    }
    case 'elicitation/create':
      state.asked[key] = { id, method, tool: textOf(params.toolCallId) ?? null };
      ledger.askQuestion(key, {
        tool: textOf(params.toolCallId),
        questions: questionsOf(params),
        schema: params.requestedSchema,
      });
      return true;
    case '_x.ai/ask_user_question':
      state.asked[key] = { id, method, tool: textOf(params.toolCallId) ?? null };
      ledger.askQuestion(key, { tool: textOf(params.toolCallId), questions: listOf(params.questions).map(questionOf) });
      return true;
    default: {
      const isKnown = /^(fs|terminal)\//.test(method);
      if (isKnown) {
        const text = `The agent asked for ${method}${typeof params.path === 'string' ? ` of ${params.path}` : ''}.`;
        ledger.emit({ kind: 'notice', level: 'info', code: method, text });
      }
      // Without an answer the agent would wait for ever.
      if (!state.options.isReadOnly)
        ledger.write({ jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not supported` } });
      return isKnown;
    }
  }
}

function optionOf(value: unknown): PermissionOption {
  const { optionId, name, kind } = objectOf(value);
  const id = textOf(optionId) ?? '';
  return { id, label: textOf(name) ?? id, kind: OPTION_KINDS.find((known) => known === kind) ?? 'other' };
}

function questionOf(value: unknown): Question {
  const { question, header, options, multiSelect } = objectOf(value);
  const text = textOf(question) ?? '';
  return {
    id: text,
    text,
    multi: multiSelect === true,
    freeText: true,
    options: listOf(options).map((option) => {
      const { label, description } = objectOf(option);
      return { id: textOf(label) ?? '', label: textOf(label) ?? '', ...present({ description: textOf(description) }) };
    }),
    ...present({ header: textOf(header) }),
  };
}

/** A form: one question for each property of its schema. */
function questionsOf(params: JsonObject): Question[] {
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
export function answerPermission(work: AcpWork, key: string, choice: Choice): false {
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

/** Before a turn is cancelled, everything that is asked must be answered. */
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

/** An answer that another client wrote, in a recording. */
export function sentAnswer({ state, ledger }: AcpWork, id: string | number, message: JsonObject): void {
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
