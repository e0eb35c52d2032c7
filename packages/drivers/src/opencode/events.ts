/** Events of `GET /event`: sessions, messages, permissions, questions, todos. */
import type { AgentFault, PermissionOption } from '@spool/protocol/agent';
import { type JsonObject, listOf, numberOf, objectOf, present, textOf, textsOf } from '../json-value.ts';
import { besides, readQuestions } from '../questions.ts';
import { diffOf, faultOf, partDelta, partUpdated, tokensOf } from './parts.ts';
import { todos } from './plan.ts';
import { agentOf, call, messageOf, type OpenCodeWork, partOf } from './state.ts';

/** Known events that a reader of this session does not need. */
const SILENT =
  /^(server|bridge|plugin|catalog|integration|reference|installation|lsp|mcp|pty|tui|vcs|project|command|workspace|worktree|ide)\.|^(session\.(diff|deleted)|file\.(edited|watcher\.updated)|sync|global\.disposed)$/;

export function event(work: OpenCodeWork, type: string, properties: JsonObject): boolean {
  const { ledger, state } = work;
  const session = textOf(properties.sessionID);
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return sessionUpdated(work, objectOf(properties.info));
    case 'session.status':
      return sessionStatus(work, session, objectOf(properties.status));
    case 'session.idle':
      if (!agentOf(work, session)) endTurn(work);
      return true;
    case 'session.error': {
      if (agentOf(work, session)) return true;
      const error = faultOf(properties.error);
      if (error.code === 'MessageAbortedError') state.isAborted = true;
      else if (!(state.hasFailed && /\n +at /.test(error.message))) failTurn(work, error);
      return true;
    }
    case 'session.compacted':
      ledger.emit({ kind: 'session.reset', reason: 'compact' });
      return true;
    case 'message.updated':
      return messageUpdated(work, objectOf(properties.info));
    case 'message.removed':
      ledger.retract(textsOf([properties.messageID]));
      return true;
    case 'message.part.updated':
      ensureTurn(work, session);
      return partUpdated(work, objectOf(properties.part));
    case 'message.part.delta':
      ensureTurn(work, session);
      return partDelta(work, properties);
    case 'message.part.removed':
      return true;
    case 'permission.asked':
    case 'permission.updated':
      return permissionAsked(work, properties);
    case 'permission.replied': {
      const request = textOf(properties.requestID) ?? textOf(properties.permissionID) ?? '';
      const option = textOf(properties.reply) ?? textOf(properties.response);
      ledger.resolvePermission(request, option === 'reject' ? 'deny' : 'allow', 'terminal', { option });
      return true;
    }
    case 'question.asked':
      questionAsked(work, properties);
      return true;
    case 'question.replied':
      ledger.resolveQuestion(textOf(properties.requestID) ?? '', 'answered', 'terminal', {
        answers: Object.fromEntries(listOf(properties.answers).map((answer, at) => [String(at), answer])),
      });
      return true;
    case 'question.rejected':
      ledger.resolveQuestion(textOf(properties.requestID) ?? '', 'declined', 'terminal');
      return true;
    case 'todo.updated':
      todos(work, listOf(properties.todos));
      return true;
    default:
      if (type.startsWith('session.next.')) return next(work, type.slice('session.next.'.length), properties);
      return SILENT.test(type);
  }
}

function ensureTurn(work: OpenCodeWork, session: string | undefined): void {
  work.state.session ??= session ?? null;
  if (!agentOf(work, session) && !work.state.isIdle) work.ledger.ensureTurn();
}

/** Fails the turn of a prompt. If the prompt fails before the agent is busy, no `idle` follows. */
export function failTurn(work: OpenCodeWork, error: AgentFault): void {
  const { ledger, state } = work;
  state.error = error;
  state.hasFailed = true;
  ledger.emit({ kind: 'fault', error, fatal: false });
  if (!state.awaitsBusy) return;
  state.awaitsBusy = false;
  endTurn(work);
}

export function sessionUpdated(work: OpenCodeWork, info: JsonObject): boolean {
  const { state, ledger } = work;
  const id = textOf(info.id);
  if (id === undefined) return true;
  const title = textOf(info.title);
  const model = textOf(objectOf(info.model).id);
  // Another session of the folder is followed if nothing runs in ours, except a subagent's.
  const isOurs = id === state.session;
  const isFollowing = state.options.isReadOnly === true || state.options.isWatching === true;
  const isFree = textOf(info.parentID) === undefined && !ledger.state.turn && isFollowing;
  if (!isOurs && !(state.session === null || isFree)) return true;
  state.session = id;
  state.ledger.isReady = true;
  const told = JSON.stringify([title, model]);
  if (!state.isStarted) {
    state.isStarted = true;
    state.version = textOf(info.version) ?? null;
    const about = { agentVersion: state.version ?? undefined, cwd: textOf(info.directory), agentSession: id, model };
    ledger.emit({ kind: 'session.started', agentName: 'opencode', ...present(about) });
  } else if (!isOurs || told !== state.told) {
    const agentSession = isOurs ? undefined : id;
    ledger.emit({ kind: 'session.updated', ...present({ agentSession, title, model }) });
  }
  state.told = told;
  const costUsd = numberOf(info.cost);
  if (costUsd !== undefined && costUsd !== state.costUsd) {
    state.costUsd = costUsd;
    ledger.emit({ kind: 'usage', scope: 'session', costUsd, tokens: tokensOf(info.tokens) });
  }
  return true;
}

function sessionStatus(work: OpenCodeWork, session: string | undefined, status: JsonObject): boolean {
  const { ledger, state } = work;
  state.session ??= session ?? null;
  if (agentOf(work, session)) return true;
  if (status.type === 'idle') {
    if (!ledger.state.turn) endLeftTools(ledger);
    endTurn(work);
  } else if (status.type === 'busy') {
    state.isIdle = false;
    state.awaitsBusy = false;
    state.hasFailed = false;
    if (state.wantsAbort) call(work, `POST /session/${state.session}/abort`);
    state.wantsAbort = false;
    if (!ledger.state.turn) endLeftTools(ledger);
    if (!ledger.state.turn && state.options.isWatching) state.turnAfter = state.lastMessage;
    ledger.ensureTurn('user');
  } else if (status.type === 'retry') {
    ledger.ensureTurn('user');
    work.detail = 'retrying';
    ledger.retract(state.attempt);
    state.attempt = [];
    const message = textOf(status.message) ?? 'error';
    const until = numberOf(status.next);
    ledger.emit({
      kind: 'retry',
      attempt: numberOf(status.attempt) ?? 1,
      error: { code: 'retry', message, retryable: true },
      ...(until === undefined || ledger.at < 1e12 ? {} : { delayMs: Math.max(0, until - ledger.at) }),
    });
  } else return false;
  return true;
}

export function endTurn({ ledger, state }: OpenCodeWork): void {
  const { error, isAborted } = state;
  if (state.awaitsBusy) return;
  state.isIdle = true;
  state.wantsAbort = false;
  ledger.endTurn(
    {
      outcome: isAborted ? 'interrupted' : error ? 'failed' : 'completed',
      stopReason: isAborted ? 'aborted' : error ? 'error' : 'idle',
      error: error ?? undefined,
    },
    // An aborted tool is reported once more, before the second `idle`.
    (tool) => isAborted || tool.agent !== undefined,
  );
  // An aborted text is reported once more after its turn has ended.
  for (const part of Object.values(state.parts)) part.isDone = true;
  state.error = null;
  state.isAborted = false;
  state.attempt = [];
}

/** Ends the tools that were left when their turn was aborted. */
function endLeftTools(ledger: OpenCodeWork['ledger']): void {
  for (const [id, tool] of Object.entries(ledger.state.tools))
    if (!tool.agent) ledger.endTool(id, { status: 'cancelled', reason: 'aborted' });
}

export function messageUpdated(work: OpenCodeWork, info: JsonObject): boolean {
  const id = textOf(info.id) ?? '';
  const message = messageOf(work, id);
  message.isUser = info.role === 'user';
  if (!agentOf(work, textOf(info.sessionID)) && id > work.state.lastMessage) work.state.lastMessage = id;
  if (!message.isUser && info.error !== undefined && objectOf(info.error).name === 'MessageAbortedError')
    work.state.isAborted = true;
  return true;
}

const OPTIONS: readonly PermissionOption[] = [
  { id: 'once', label: 'Allow once', kind: 'allow_once' },
  { id: 'always', label: 'Allow always', kind: 'allow_always' },
  { id: 'reject', label: 'Deny', kind: 'reject_once' },
];

export function permissionAsked(work: OpenCodeWork, asked: JsonObject): boolean {
  const { ledger } = work;
  const metadata = objectOf(asked.metadata);
  const name = textOf(asked.permission) ?? textOf(asked.type);
  const diff = diffOf(metadata);
  const always = textsOf(asked.always);
  const patterns = textsOf(asked.patterns);
  ledger.askPermission(textOf(asked.id) ?? '', {
    tool: textOf(objectOf(asked.tool).callID) ?? textOf(asked.callID),
    name,
    title: textOf(metadata.command) ?? textOf(metadata.filepath) ?? patterns.join(', '),
    input: { ...metadata, ...(patterns.length > 0 && { patterns }) },
    diffs: diff ? [diff] : undefined,
    options: OPTIONS.map((option) =>
      option.id === 'always' && always.length > 0
        ? { ...option, label: `Allow always: ${always.join(', ')}`, effect: always }
        : option,
    ),
    agent: agentOf(work, textOf(asked.sessionID)),
  });
  return true;
}

export function questionAsked({ ledger }: OpenCodeWork, asked: JsonObject): void {
  const input = besides(asked, ['id', 'sessionID', 'tool']);
  const { questions, rest } = readQuestions(input, { multi: 'multiple', id: 'place' });
  const tool = textOf(objectOf(asked.tool).callID);
  ledger.askQuestion(textOf(asked.id) ?? '', { tool, questions, input: rest });
}

/** Events of the second version of the interface, which has its own names. */
function next(work: OpenCodeWork, type: string, properties: JsonObject): boolean {
  const { ledger, state } = work;
  const session = textOf(properties.sessionID);
  state.session ??= session ?? null;
  const message = textOf(properties.assistantMessageID) ?? '';
  const agent = agentOf(work, session);
  const [what = '', phase = ''] = type.split('.');
  if (what === 'text' || what === 'reasoning') {
    ensureTurn(work, session);
    const kind = what === 'text' ? ('message' as const) : ('thinking' as const);
    const id = `${message} ${textOf(properties.textID) ?? textOf(properties.reasoningID) ?? ''}`;
    const known = partOf(work, message, id, kind);
    if (known.isDone) return true;
    const place = { kind, message, part: known.part, agent };
    if (phase === 'delta') ledger.delta(place, textOf(properties.delta) ?? '');
    else if (phase === 'ended') {
      known.isDone = true;
      ledger.done(place, textOf(properties.text));
    } else if (phase !== 'started') return false;
    return true;
  }
  switch (type) {
    case 'prompted':
      if (!agent && !ledger.state.turn)
        ledger.startTurn('user', { prompt: [{ type: 'text', text: textOf(objectOf(properties.prompt).text) ?? '' }] });
      return true;
    case 'prompt.admitted':
    case 'step.started':
      return true;
    case 'step.ended': {
      const costUsd = numberOf(properties.cost);
      ledger.emit(
        { kind: 'usage', scope: 'message', tokens: tokensOf(properties.tokens), ...present({ costUsd }) },
        agent,
      );
      if (!agent && properties.finish === 'stop') endTurn(work);
      return true;
    }
    default:
      return false;
  }
}
