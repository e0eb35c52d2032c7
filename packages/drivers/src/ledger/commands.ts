/**
 * Carries out the commands of clients: the queue of prompts, and answers. The first answer to a request wins; an event refuses a
 * later one. The `Capabilities` describe what an agent can do. Keeps DRV-7, DRV-8, DRV-11, DRV-16, REQ-4, REQ-5, REQ-8, REQ-9.
 */
import type { Command, Content, PermissionOption } from '@spool/protocol/agent';
import type { CommandInput } from '../dialect.ts';
import { copyOf, isObject } from '../json-value.ts';
import type { Ledger } from './ledger.ts';
import { type CommandRefusal, refuseCommand } from './refusal.ts';
import type { OpenAsk, QueuedPrompt } from './state.ts';

/** The waiting prompts. */
const QUEUE_MAX = 100;
const QUEUE_CHARS_MAX = 16 * 1024 * 1024;

export interface PermissionChoice {
  readonly decision: 'allow' | 'deny';
  readonly option: PermissionOption | undefined;
  readonly input?: unknown;
  readonly message?: string | undefined;
  readonly interrupt?: boolean | undefined;
}

/** The functions with which a dialect carries out commands. If one is missing, the agent cannot do it. */
export interface Capabilities {
  prompt?(prompt: QueuedPrompt): void;
  steer?(prompt: QueuedPrompt): void;
  interrupt?(): void;
  /** Returns true if the agent has received the message too; otherwise the message becomes the next prompt. */
  permission?(request: string, choice: PermissionChoice): boolean;
  /** Whether an answer may replace the input, so that the agent runs exactly the input in the answer. */
  takesInput?: boolean;
  question?(request: string, answers: Readonly<Record<string, unknown>> | undefined): void;
  /** Whether another answer may still come first: a request is then resolved when the agent has accepted this one. */
  areAnswersHeld?: boolean;
  setMode?(mode: string): void;
  setModel?(model: string): void;
  toolOutput?(tool: string): void;
  background?(tool: string | undefined): void;
  stopTask?(task: string): void;
  close?(): void;
}

type Refusal = CommandRefusal | undefined;

export function carryOut(ledger: Ledger, capabilities: Capabilities, input: CommandInput): void {
  const refusal = ledger.state.isEnded
    ? { code: 'ended' as const, message: 'the agent has ended; start it again' }
    : ledger.state.isInputClosed
      ? { code: 'input-closed' as const, message: 'the agent has closed its input, and takes no command; stop it' }
      : act(ledger, capabilities, input);
  if (refusal) refuseCommand(ledger, input, refusal);
  sendNext(ledger, capabilities);
}

/** Sends the next waiting prompt, if the agent is free. */
export function sendNext(ledger: Ledger, capabilities: Capabilities): void {
  const { state } = ledger;
  if (!state.isReady || state.isEnded || state.isInputClosed || state.turn || !capabilities.prompt) return;
  const next = state.queue.shift();
  if (!next) return;
  tellQueue(ledger);
  ledger.startTurn(state.queue.length > 0 ? 'queue' : 'user', { clientIds: [next.clientId], prompt: next.content });
  ledger.emit({ kind: 'prompt', state: 'started', clientId: next.clientId });
  capabilities.prompt(next);
}

function act(ledger: Ledger, capabilities: Capabilities, input: CommandInput): Refusal {
  const { queue } = ledger.state;
  const { command } = input;
  switch (command.do) {
    case 'prompt':
      return prompt(ledger, capabilities, command.clientId, command.content, command.when ?? 'queue');
    case 'slash': {
      const text = `/${command.name}${command.args === undefined ? '' : ` ${command.args}`}`;
      return prompt(ledger, capabilities, command.clientId ?? `slash-${ledger.at}`, [{ type: 'text', text }], 'queue');
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
      return sendNow(ledger, capabilities, command.clientId);
    case 'interrupt': {
      if (command.alsoQueued && queue.length > 0) {
        for (const { clientId } of queue.splice(0)) ledger.emit({ kind: 'prompt', state: 'cancelled', clientId });
        tellQueue(ledger);
      }
      if (!capabilities.interrupt) return unsupported('interrupt a turn');
      if (ledger.state.turn) capabilities.interrupt();
      return undefined;
    }
    case 'permission':
      return answerPermission(ledger, capabilities, input);
    case 'answer':
      return answerQuestion(ledger, capabilities, input);
    case 'setMode':
      return capabilities.setMode ? void capabilities.setMode(command.mode) : unsupported('change its mode');
    case 'setModel':
      return capabilities.setModel ? void capabilities.setModel(command.model) : unsupported('change its model');
    case 'toolOutput':
      return capabilities.toolOutput
        ? void capabilities.toolOutput(command.tool)
        : unsupported('show the output of a running tool');
    case 'background':
      return capabilities.background
        ? void capabilities.background(command.tool)
        : unsupported('move a tool to the background');
    case 'stopTask':
      return capabilities.stopTask ? void capabilities.stopTask(command.task) : unsupported('stop a task');
    case 'close':
      return capabilities.close ? void capabilities.close() : unsupported('be closed by a command; stop the session');
    default:
      return unsupported('do this');
  }
}

function prompt(
  ledger: Ledger,
  capabilities: Capabilities,
  clientId: string,
  content: readonly Content[],
  when: 'now' | 'next' | 'queue',
): Refusal {
  const { state } = ledger;
  if (!capabilities.prompt) return unsupported('take another prompt');
  if (state.queue.some((waiting) => waiting.clientId === clientId))
    return { code: 'invalid', message: 'a prompt with this client id waits already; use another id or edit it' };
  if (state.queue.length >= QUEUE_MAX || charsOf(state.queue) + contentChars(content) > QUEUE_CHARS_MAX)
    return { code: 'invalid', message: `the queue is full; at most ${QUEUE_MAX} prompts wait` };
  const waiting: QueuedPrompt = { clientId, content: copyOf(content) as Content[] };
  if (when === 'now' && state.turn && state.isReady && capabilities.steer) return steer(ledger, capabilities, waiting);
  if (when === 'queue') state.queue.push(waiting);
  else state.queue.unshift(waiting);
  if (state.turn || !state.isReady) {
    ledger.emit({ kind: 'prompt', state: 'queued', clientId, content: waiting.content });
    tellQueue(ledger);
  }
  return undefined;
}

/** Sends a waiting prompt into the running turn; without a turn, it is sent next. */
function sendNow(ledger: Ledger, capabilities: Capabilities, clientId: string): Refusal {
  const { queue, turn, isReady } = ledger.state;
  const at = queue.findIndex((waiting) => waiting.clientId === clientId);
  if (at < 0) return notWaiting(clientId);
  if (turn && isReady && !capabilities.steer)
    return {
      code: 'unsupported',
      message: 'this agent takes no prompt in a running turn; it waits for the end of the turn',
    };
  const [prompt] = queue.splice(at, 1);
  if (turn && isReady) steer(ledger, capabilities, prompt!);
  else queue.unshift(prompt!);
  return tellQueue(ledger);
}

function steer(ledger: Ledger, capabilities: Capabilities, prompt: QueuedPrompt): undefined {
  const { clientId, content } = prompt;
  ledger.state.turn!.clientIds.push(clientId);
  ledger.emit({ kind: 'prompt', state: 'started', clientId, content });
  capabilities.steer!(prompt);
}

function answerPermission(ledger: Ledger, capabilities: Capabilities, input: CommandInput): Refusal {
  const { command, by, rule } = input;
  if (command.do !== 'permission') return undefined;
  const ask = ledger.state.asks[command.request];
  if (!ask || ask.type !== 'permission') return notAsked(ledger, command.request);
  if (!capabilities.permission) return unsupported('be answered');
  if (ask.held) return answeredBy(ask.held.more.who ?? ask.held.by);
  if (command.digest !== undefined && command.digest !== ask.digest) return anotherRequest();
  const chosen = chooseOption(ask.options, command);
  if ('code' in chosen) return chosen;
  const { option } = chosen;
  const isAllowed = option ? option.kind.startsWith('allow') : command.behavior === 'allow';
  // An option of unknown meaning may allow anything.
  if (isAllowed || option?.kind === 'other') {
    const refusal = input.isUnbound ? undefined : checkAllowed(ask, command, option);
    if (refusal) return refusal;
    // Otherwise the agent would run its own input, and the events would report another one.
    if (command.input !== undefined && !input.isUnbound) {
      if (capabilities.takesInput !== true) return unsupported('run another input than its own');
      if (!isObject(command.input)) return { code: 'invalid', message: 'an edited input is an object' };
    }
  }
  const decision = isAllowed ? 'allow' : 'deny';
  const { input: changed, message, interrupt } = command;
  const isTold = capabilities.permission(command.request, { decision, option, input: changed, message, interrupt });
  if (!isTold && decision === 'deny' && message !== undefined && message !== '')
    prompt(ledger, capabilities, `deny ${command.request}`, [{ type: 'text', text: message }], 'next');
  const author = rule === undefined ? 'watcher' : 'policy';
  const more = {
    option: option?.id,
    who: rule ?? by,
    message,
    ...(isAllowed && changed !== undefined && { input: changed, isInputChanged: true }),
  };
  if (capabilities.areAnswersHeld)
    ledger.holdAnswer(command.request, { decision, by: author, more, command: input.id });
  else ledger.resolvePermission(command.request, decision, author, more);
  return undefined;
}

/** Checks an answer that allows: it needs the digest of the request as it was shown, and the request must have been shown whole. */
function checkAllowed(
  ask: OpenAsk,
  { digest, once }: Command & { do: 'permission' },
  option: PermissionOption | undefined,
): Refusal {
  if (digest === undefined)
    return { code: 'invalid', message: 'allowing needs the digest of the request that was shown' };
  if (ask.isCut)
    return { code: 'invalid', message: 'the request is too large to be shown whole; it can only be denied' };
  if (once && option && option.kind !== 'allow_once')
    return { code: 'invalid', message: 'this option allows more than this one request' };
  return undefined;
}

/**
 * Returns the option with this id. Without an id, it chooses by behaviour, but only if exactly one option fits, and never an option
 * that allows more than once.
 */
function chooseOption(
  options: readonly PermissionOption[],
  { option: id, behavior }: Command & { do: 'permission' },
): { readonly option: PermissionOption | undefined } | NonNullable<Refusal> {
  const known = options.map((option) => option.id).join(', ');
  if (id !== undefined) {
    const option = options.find((offered) => offered.id === id);
    if (!option) return { code: 'invalid', message: `there is no such option; use ${known}` };
    const isOpposite = behavior !== undefined && !option.kind.startsWith(behavior === 'allow' ? 'allow' : 'reject');
    return isOpposite ? { code: 'invalid', message: `the option ${id} does not ${behavior}` } : { option };
  }
  if (behavior === undefined) return { code: 'invalid', message: 'an answer needs an option or a behavior' };
  if (behavior === 'allow') {
    const once = options.filter(({ kind }) => kind === 'allow_once');
    if (once.length === 1 || options.length === 0) return { option: once[0] };
    return { code: 'invalid', message: `name the option that is meant: ${known}` };
  }
  // Denying is always possible. The first option that rejects once has the smallest effect.
  const [option] = ['reject_once', 'reject_always'].flatMap((kind) => options.filter((each) => each.kind === kind));
  return { option };
}

function answerQuestion(ledger: Ledger, capabilities: Capabilities, input: CommandInput): Refusal {
  const { command, by, isUnbound } = input;
  if (command.do !== 'answer') return undefined;
  const ask = ledger.state.asks[command.request];
  if (!ask || ask.type !== 'question') return notAsked(ledger, command.request);
  if (!capabilities.question) return unsupported('be answered');
  if (ask.held) return answeredBy(ask.held.more.who ?? ask.held.by);
  const { digest, answers } = command;
  if (digest !== undefined && digest !== ask.digest) return anotherRequest();
  if (answers && digest === undefined && !isUnbound)
    return { code: 'invalid', message: 'an answer needs the digest of the question that was shown' };
  if (answers && ask.isCut)
    return { code: 'invalid', message: 'the question is too large to be shown whole; it can only be declined' };
  capabilities.question(command.request, answers);
  const decision = answers ? 'answered' : 'declined';
  const more = { answers, who: by };
  if (capabilities.areAnswersHeld)
    ledger.holdAnswer(command.request, { decision, by: 'watcher', more, command: input.id });
  else ledger.resolveQuestion(command.request, decision, 'watcher', more);
  return undefined;
}

/** Denies, towards the agent, the requests that are not shown to a person. */
export function deny(ledger: Ledger, capabilities: Capabilities): void {
  for (const { request, message } of ledger.denials.splice(0)) {
    const ask = ledger.state.asks[request];
    if (ask?.type === 'question') {
      capabilities.question?.(request, undefined);
      ledger.resolveQuestion(request, 'declined', 'driver');
      continue;
    }
    const chosen = chooseOption(ask?.options ?? [], { do: 'permission', request, behavior: 'deny' });
    const option = 'option' in chosen ? chosen.option : undefined;
    capabilities.permission?.(request, { decision: 'deny', option, message });
    ledger.resolvePermission(request, 'deny', 'driver', { message });
  }
}

function anotherRequest(): Refusal {
  return { code: 'another-request', message: 'the request is not the one that was shown; look at it again' };
}

function notAsked(ledger: Ledger, request: string): Refusal {
  const earlier = ledger.state.resolved.findLast((known) => known.request === request);
  return earlier ? answeredBy(earlier.by) : { code: 'unknown-request', message: 'the agent does not ask this' };
}

function answeredBy(who: string): Refusal {
  return { code: 'already-resolved', message: `this was answered already (${who})` };
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
