/**
 * Carries out the commands of clients: the queue of prompts, and answers. The first answer to a request wins; a later one gets an
 * event that says so. What an agent can do is in its `Hands`. Keeps DRV-7, DRV-8, DRV-11, DRV-16.
 */
import type { Command, Content, Decision, PermissionOption } from '@spool/protocol/agent';
import type { CommandInput } from '../dialect.ts';
import { copyOf } from '../json-value.ts';
import type { Ledger } from './ledger.ts';
import type { QueuedPrompt } from './state.ts';

/** Prompts that wait. */
const QUEUE_MAX = 100;
const QUEUE_CHARS_MAX = 16 * 1024 * 1024;

export interface Choice {
  readonly decision: 'allow' | 'deny';
  readonly option: PermissionOption | undefined;
  readonly input?: unknown;
  readonly message?: string | undefined;
  readonly interrupt?: boolean | undefined;
}

/** What a dialect does for a command. What is missing, the agent cannot do. */
export interface Hands {
  prompt?(prompt: QueuedPrompt): void;
  steer?(prompt: QueuedPrompt): void;
  interrupt?(): void;
  /** Returns true when the agent has been told the message too; otherwise it becomes the next prompt. */
  permission?(request: string, choice: Choice): boolean;
  question?(request: string, answers: Readonly<Record<string, unknown>> | undefined): void;
  setMode?(mode: string): void;
  setModel?(model: string): void;
  toolOutput?(tool: string): void;
  background?(tool: string | undefined): void;
  stopTask?(task: string): void;
  close?(): void;
}

type Refusal = { readonly code: RefusalCode; readonly message: string } | undefined;
type RefusalCode = 'already-resolved' | 'unknown-request' | 'unknown-prompt' | 'unsupported' | 'ended' | 'invalid';

export function carryOut(ledger: Ledger, hands: Hands, input: CommandInput): void {
  const { command, id, by } = input;
  const refusal = ledger.state.isEnded
    ? { code: 'ended' as const, message: 'the agent has ended; start it again' }
    : act(ledger, hands, command, by);
  if (refusal) {
    const about = 'request' in command ? { request: command.request } : {};
    const of = 'clientId' in command && command.clientId !== undefined ? { clientId: command.clientId } : {};
    ledger.emit({ kind: 'command.refused', command: id, do: command.do, ...refusal, ...about, ...of, by });
  }
  sendNext(ledger, hands);
}

/** Sends the next prompt that waits, if the agent is free. */
export function sendNext(ledger: Ledger, hands: Hands): void {
  const { state } = ledger;
  if (!state.isReady || state.isEnded || state.turn || !hands.prompt) return;
  const next = state.queue.shift();
  if (!next) return;
  tellQueue(ledger);
  ledger.startTurn(state.queue.length > 0 ? 'queue' : 'user', { clientIds: [next.clientId], prompt: next.content });
  ledger.emit({ kind: 'prompt', state: 'started', clientId: next.clientId });
  hands.prompt(next);
}

function act(ledger: Ledger, hands: Hands, command: Command, by: string): Refusal {
  const { queue } = ledger.state;
  switch (command.do) {
    case 'prompt':
      return prompt(ledger, hands, command.clientId, command.content, command.when ?? 'queue');
    case 'slash': {
      const text = `/${command.name}${command.args === undefined ? '' : ` ${command.args}`}`;
      return prompt(ledger, hands, command.clientId ?? `slash-${ledger.at}`, [{ type: 'text', text }], 'queue');
    }
    case 'editPrompt': {
      const waiting = queue.find(({ clientId }) => clientId === command.clientId);
      if (!waiting) return notWaiting(command.clientId);
      waiting.content = copyOf(command.content) as Content[];
      return tellQueue(ledger);
    }
    case 'movePrompt': {
      const from = queue.findIndex(({ clientId }) => clientId === command.clientId);
      if (from < 0) return notWaiting(command.clientId);
      const [moved] = queue.splice(from, 1);
      const to = queue.findIndex(({ clientId }) => clientId === command.before);
      queue.splice(to < 0 ? queue.length : to, 0, moved!);
      return tellQueue(ledger);
    }
    case 'cancelPrompt': {
      const at = queue.findIndex(({ clientId }) => clientId === command.clientId);
      if (at < 0) return notWaiting(command.clientId);
      queue.splice(at, 1);
      ledger.emit({ kind: 'prompt', state: 'cancelled', clientId: command.clientId });
      return tellQueue(ledger);
    }
    case 'sendPrompt':
      return sendNow(ledger, hands, command.clientId);
    case 'interrupt': {
      if (command.alsoQueued && queue.length > 0) {
        for (const { clientId } of queue.splice(0)) ledger.emit({ kind: 'prompt', state: 'cancelled', clientId });
        tellQueue(ledger);
      }
      if (!hands.interrupt) return unsupported('interrupt a turn');
      if (ledger.state.turn) hands.interrupt();
      return undefined;
    }
    case 'permission':
      return answerPermission(ledger, hands, command, by);
    case 'answer':
      return answerQuestion(ledger, hands, command, by);
    case 'setMode':
      return hands.setMode ? void hands.setMode(command.mode) : unsupported('change its mode');
    case 'setModel':
      return hands.setModel ? void hands.setModel(command.model) : unsupported('change its model');
    case 'toolOutput':
      return hands.toolOutput ? void hands.toolOutput(command.tool) : unsupported('show the output of a running tool');
    case 'background':
      return hands.background ? void hands.background(command.tool) : unsupported('move a tool to the background');
    case 'stopTask':
      return hands.stopTask ? void hands.stopTask(command.task) : unsupported('stop a task');
    case 'close':
      return hands.close ? void hands.close() : unsupported('be closed by a command; stop the session');
    default:
      return unsupported('do this');
  }
}

function prompt(
  ledger: Ledger,
  hands: Hands,
  clientId: string,
  content: readonly Content[],
  when: 'now' | 'next' | 'queue',
): Refusal {
  const { state } = ledger;
  if (!hands.prompt) return unsupported('take another prompt');
  if (state.queue.some((waiting) => waiting.clientId === clientId))
    return { code: 'invalid', message: 'a prompt with this client id waits already; use another id or edit it' };
  if (state.queue.length >= QUEUE_MAX || charsOf(state.queue) + contentChars(content) > QUEUE_CHARS_MAX)
    return { code: 'invalid', message: `the queue is full; at most ${QUEUE_MAX} prompts wait` };
  const waiting: QueuedPrompt = { clientId, content: copyOf(content) as Content[] };
  if (when === 'now' && state.turn && state.isReady && hands.steer) return steer(ledger, hands, waiting);
  if (when === 'queue') state.queue.push(waiting);
  else state.queue.unshift(waiting);
  if (state.turn || !state.isReady) {
    ledger.emit({ kind: 'prompt', state: 'queued', clientId, content: waiting.content });
    tellQueue(ledger);
  }
  return undefined;
}

/** Sends a prompt that waits into the running turn; without one, it is the next. */
function sendNow(ledger: Ledger, hands: Hands, clientId: string): Refusal {
  const { queue, turn, isReady } = ledger.state;
  const at = queue.findIndex((waiting) => waiting.clientId === clientId);
  if (at < 0) return notWaiting(clientId);
  if (turn && isReady && !hands.steer)
    return {
      code: 'unsupported',
      message: 'this agent takes no prompt in a running turn; it waits for the end of the turn',
    };
  const [prompt] = queue.splice(at, 1);
  if (turn && isReady) steer(ledger, hands, prompt!);
  else queue.unshift(prompt!);
  return tellQueue(ledger);
}

function steer(ledger: Ledger, hands: Hands, prompt: QueuedPrompt): undefined {
  const { clientId, content } = prompt;
  ledger.state.turn!.clientIds.push(clientId);
  ledger.emit({ kind: 'prompt', state: 'started', clientId, content });
  hands.steer!(prompt);
}

function answerPermission(ledger: Ledger, hands: Hands, command: Command & { do: 'permission' }, by: string): Refusal {
  const ask = ledger.state.asks[command.request];
  if (!ask || ask.type !== 'permission') return notAsked(ledger, command.request);
  if (!hands.permission) return unsupported('be answered');
  const option = chosenOption(ask.options, command);
  if (command.option !== undefined && !option)
    return { code: 'invalid', message: `there is no such option; use ${ask.options.map(({ id }) => id).join(', ')}` };
  if (!option && !command.behavior) return { code: 'invalid', message: 'an answer needs an option or a behavior' };
  const isAllowed = option ? option.kind.startsWith('allow') : command.behavior === 'allow';
  const decision: Decision = isAllowed ? 'allow' : 'deny';
  const { input, message, interrupt } = command;
  const isTold = hands.permission(command.request, { decision, option, input, message, interrupt });
  if (!isTold && decision === 'deny' && message !== undefined && message !== '')
    prompt(ledger, hands, `deny ${command.request}`, [{ type: 'text', text: message }], 'next');
  const who = command.rule ?? by;
  ledger.resolvePermission(command.request, decision, command.rule === undefined ? 'watcher' : 'policy', {
    option: option?.id,
    who,
    message,
  });
  return undefined;
}

function chosenOption(
  options: readonly PermissionOption[],
  { option, behavior }: { readonly option?: string; readonly behavior?: 'allow' | 'deny' },
): PermissionOption | undefined {
  if (option !== undefined) return options.find(({ id }) => id === option);
  const kinds = behavior === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return kinds.flatMap((kind) => options.filter((offered) => offered.kind === kind))[0];
}

function answerQuestion(ledger: Ledger, hands: Hands, command: Command & { do: 'answer' }, by: string): Refusal {
  const ask = ledger.state.asks[command.request];
  if (!ask || ask.type !== 'question') return notAsked(ledger, command.request);
  if (!hands.question) return unsupported('be answered');
  hands.question(command.request, command.answers);
  const decision = command.answers ? 'answered' : 'declined';
  ledger.resolveQuestion(command.request, decision, 'watcher', { answers: command.answers, who: by });
  return undefined;
}

function notAsked(ledger: Ledger, request: string): Refusal {
  const earlier = ledger.state.resolved.findLast((known) => known.request === request);
  if (!earlier) return { code: 'unknown-request', message: 'the agent does not ask this' };
  return { code: 'already-resolved', message: `this was answered already (${earlier.by})` };
}

function notWaiting(clientId: string): Refusal {
  return { code: 'unknown-prompt', message: `no prompt ${JSON.stringify(clientId)} waits; it may have been sent` };
}

function unsupported(what: string): Refusal {
  return { code: 'unsupported', message: `this agent cannot ${what}` };
}

function tellQueue(ledger: Ledger): undefined {
  const prompts = ledger.state.queue.map(({ clientId, content }) => ({ clientId, content: copyOf(content) }));
  ledger.emit({ kind: 'queue', prompts });
}

function charsOf(queue: readonly QueuedPrompt[]): number {
  return queue.reduce((sum, { content }) => sum + contentChars(content), 0);
}

function contentChars(content: readonly Content[]): number {
  return content.reduce((sum, part) => sum + JSON.stringify(part).length, 0);
}
