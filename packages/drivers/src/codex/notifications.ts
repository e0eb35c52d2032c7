/** Notifications of the app server. */
import type { AgentFault, PlanEntry, Tokens, TurnOutcome } from '@spool/protocol/agent';
import { openKey } from '../json-rpc.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import { stopCommands } from './interrupted-commands.ts';
import { diffsOf, itemCompleted, itemStarted } from './items.ts';
import type { CodexWork } from './state.ts';

/** The known notifications that a reader of this session does not need. */
const SILENT: ReadonlySet<string> = new Set([
  'account/gatewayOAuth/changed',
  'account/login/completed',
  'account/updated',
  'app/list/updated',
  'command/exec/outputDelta',
  'externalAgentConfig/import/completed',
  'externalAgentConfig/import/progress',
  'fs/changed',
  'fuzzyFileSearch/sessionCompleted',
  'fuzzyFileSearch/sessionUpdated',
  'item/autoApprovalReview/completed',
  'item/autoApprovalReview/started',
  'item/commandExecution/terminalInteraction',
  'item/fileChange/outputDelta',
  'item/reasoning/summaryPartAdded',
  'mcpServer/event/stream/notification',
  'mcpServer/oauthLogin/completed',
  'mcpServer/startupStatus/updated',
  'model/safetyBuffering/updated',
  'model/verification',
  'modelProvider/authRecoveryCompleted',
  'modelProvider/authRecoveryStarted',
  'process/exited',
  'process/outputDelta',
  'project/changed',
  'remoteControl/status/changed',
  'skills/changed',
  'thread/archived',
  'thread/attachment/updated',
  'thread/closed',
  'thread/deleted',
  'thread/environment/connected',
  'thread/environment/disconnected',
  'thread/goal/cleared',
  'thread/goal/updated',
  'thread/prediction/updated',
  'thread/project/updated',
  'thread/queue/changed',
  'thread/readState/changed',
  'thread/reverted',
  'thread/status/changed',
  'thread/unarchived',
  'turn/moderationMetadata',
  'windows/worldWritableWarning',
  'windowsSandbox/setupCompleted',
]);

export function notification(work: CodexWork, method: string, params: JsonObject): boolean {
  const { ledger, state } = work;
  const item = objectOf(params.item);
  const message = textOf(params.itemId) ?? '';
  const delta = textOf(params.delta) ?? '';
  switch (method) {
    case 'thread/started':
      threadStarted(work, objectOf(params.thread), {});
      return true;
    case 'turn/started': {
      const thread = textOf(params.threadId);
      if (thread !== undefined && !ledger.state.turn) state.thread = thread;
      state.turn = textOf(objectOf(params.turn).id) ?? null;
      state.attempt = [];
      ledger.ensureTurn('user');
      return true;
    }
    case 'turn/completed':
      return turnCompleted(work, params);
    case 'item/started':
      return itemStarted(work, item);
    case 'item/completed':
      return itemCompleted(work, item);
    case 'item/agentMessage/delta':
    case 'item/plan/delta':
      if (!state.attempt.includes(message)) state.attempt.push(message);
      ledger.delta({ kind: 'message', message, part: 0 }, delta);
      return true;
    case 'item/reasoning/summaryTextDelta':
      return reasoningDelta(work, message, 'summary', numberOf(params.summaryIndex) ?? 0, delta);
    case 'item/reasoning/textDelta':
      return reasoningDelta(work, message, 'content', numberOf(params.contentIndex) ?? 0, delta);
    case 'item/commandExecution/outputDelta':
      ledger.toolGoesOn(message);
      ledger.appendOutput(message, delta);
      return true;
    case 'item/fileChange/patchUpdated':
      for (const diff of diffsOf(params))
        ledger.emit({
          kind: 'file.changed',
          ...(ledger.hasTool(message) ? { tool: message } : {}),
          phase: 'proposed',
          diff,
        });
      return true;
    case 'item/mcpToolCall/progress':
      if (ledger.hasTool(message))
        ledger.emit({ kind: 'tool.progress', tool: message, ...present({ note: textOf(params.message) }) });
      return true;
    case 'serverRequest/resolved': {
      const key = openKey(state.asked, params.requestId);
      if (key === undefined) return true;
      delete state.asked[key];
      if (key in ledger.state.asks) ledger.answeredElsewhere(key);
      return true;
    }
    case 'turn/plan/updated':
      ledger.emit({ kind: 'plan.updated', replace: true, entries: listOf(params.plan).map(planEntry) });
      return true;
    case 'turn/diff/updated':
      return turnDiff(work, textOf(params.diff) ?? '');
    case 'thread/tokenUsage/updated': {
      state.attempt = [];
      const { total, last, modelContextWindow } = objectOf(params.tokenUsage);
      const size = numberOf(modelContextWindow);
      const used = numberOf(objectOf(last).totalTokens);
      const context = size !== undefined && used !== undefined ? { context: { used, size } } : {};
      ledger.emit({ kind: 'usage', scope: 'session', tokens: tokensOf(total), ...context });
      return true;
    }
    case 'account/rateLimits/updated':
      return rateLimits(work, objectOf(params.rateLimits));
    case 'thread/compacted':
      ledger.emit({ kind: 'session.reset', reason: 'compact' });
      return true;
    case 'thread/name/updated':
      ledger.emit({ kind: 'session.updated', ...present({ title: textOf(params.threadName) ?? textOf(params.name) }) });
      return true;
    case 'thread/settings/updated':
      ledger.emit({ kind: 'session.updated', ...present({ model: textOf(objectOf(params.threadSettings).model) }) });
      return true;
    case 'error':
      return fault(work, params);
    case 'warning':
    case 'guardianWarning':
    case 'configWarning':
    case 'deprecationNotice':
    case 'autoApprovalReview/strictReviewRequired':
    case 'model/rerouted': {
      const text = textOf(params.message) ?? textOf(params.summary) ?? method;
      ledger.emit({ kind: 'notice', level: 'warning', code: method, text });
      return true;
    }
    case 'hook/started':
    case 'hook/completed': {
      const run = objectOf(params.run);
      const name = textOf(run.eventName) ?? textOf(run.name) ?? 'hook';
      const phase = method === 'hook/started' ? 'started' : 'done';
      ledger.emit({ kind: 'hook', phase, name, ...present({ id: textOf(run.id) }) });
      return true;
    }
    default:
      return SILENT.has(method) || method.startsWith('thread/realtime/');
  }
}

/** Handles a new thread, which is reported twice: by its notification and by the response that started it. */
export function threadStarted(work: CodexWork, thread: JsonObject, settings: JsonObject): void {
  const { state, ledger } = work;
  const id = textOf(thread.id);
  if (id === undefined || thread.parentThreadId) return;
  const model = textOf(settings.model) ?? textOf(thread.model);
  if (model !== undefined) state.model = model;
  if (state.isStarted && id === state.thread) {
    if (model !== undefined) ledger.emit({ kind: 'session.updated', model });
    return;
  }
  if (ledger.state.turn) return;
  const about = { agentSession: id, model, cwd: textOf(thread.cwd), agentVersion: versionOf(state.userAgent) };
  if (state.isStarted) ledger.emit({ kind: 'session.updated', ...present({ agentSession: id, model }) });
  else ledger.emit({ kind: 'session.started', agentName: 'codex', ...present(about) });
  state.isStarted = true;
  state.thread = id;
  state.ledger.isReady = true;
}

export function versionOf(userAgent: string | null): string | undefined {
  return /\/(\d+\.\d+\.\d+\S*)/.exec(userAgent ?? '')?.[1];
}

export function turnCompleted(work: CodexWork, params: JsonObject): boolean {
  const { ledger, state } = work;
  const turn = objectOf(params.turn);
  const id = textOf(turn.id);
  // Whether it is a turn of another thread, such as a subagent's.
  if (state.turn !== null && id !== undefined && id !== state.turn) return true;
  const outcomes: Readonly<Record<string, TurnOutcome>> = { interrupted: 'interrupted', failed: 'failed' };
  const status = textOf(turn.status) ?? 'completed';
  const last = listOf(turn.items)
    .map(objectOf)
    .findLast(({ type }) => type === 'agentMessage');
  ledger.ensureTurn();
  ledger.endTurn(
    {
      outcome: Object.hasOwn(outcomes, status) ? outcomes[status]! : 'completed',
      stopReason: status,
      text: textOf(last?.text),
      error: isObject(turn.error) ? faultOf(turn.error) : undefined,
      durationMs: numberOf(turn.durationMs),
    },
    // A command may outlive its turn, as a terminal in the background, and end later.
    (tool) => tool.name === 'shell',
  );
  if (status === 'interrupted') stopCommands(work);
  state.turn = null;
  state.commands = [];
  state.diff = null;
  state.asked = {};
  return true;
}

function reasoningDelta(
  work: CodexWork,
  message: string,
  shown: 'summary' | 'content',
  part: number,
  delta: string,
): boolean {
  work.detail = 'thinking';
  work.state.reasoning[message] ??= shown;
  if (work.state.reasoning[message] === shown) work.ledger.delta({ kind: 'thinking', message, part }, delta);
  return true;
}

function turnDiff({ ledger, state }: CodexWork, unified: string): boolean {
  if (unified === state.diff) return true;
  state.diff = unified;
  const path = /^diff --git a\/(\S+)/m.exec(unified)?.[1];
  if (path !== undefined)
    ledger.emit({ kind: 'file.changed', phase: 'applied', diff: { path, change: 'modify', unified } });
  return true;
}

function rateLimits({ ledger }: CodexWork, limits: JsonObject): boolean {
  for (const name of ['primary', 'secondary']) {
    const { usedPercent, resetsAt } = objectOf(limits[name]);
    const used = numberOf(usedPercent);
    if (used === undefined) continue;
    const seconds = numberOf(resetsAt);
    ledger.emit({
      kind: 'quota',
      name,
      usedPercent: used,
      ...(seconds === undefined ? {} : { resetsAt: seconds * 1000 }),
    });
  }
  return true;
}

function fault(work: CodexWork, params: JsonObject): boolean {
  const { ledger, state } = work;
  const error = faultOf(objectOf(params.error));
  if (params.willRetry !== true) {
    ledger.emit({ kind: 'fault', error, fatal: false });
    return true;
  }
  work.detail = 'retrying';
  const [, attempt = '1', max] = /(\d+)\/(\d+)/.exec(error.message) ?? [];
  // The next attempt repeats the text of this one in another message.
  ledger.retract(state.attempt);
  state.attempt = [];
  ledger.emit({
    kind: 'retry',
    attempt: Number(attempt),
    error: { ...error, retryable: true },
    ...(max === undefined ? {} : { max: Number(max) }),
  });
  return true;
}

export function faultOf(error: JsonObject): AgentFault {
  const info = error.codexErrorInfo;
  const code = textOf(info) ?? Object.keys(objectOf(info))[0] ?? textOf(error.code) ?? 'error';
  const httpStatus = numberOf(objectOf(Object.values(objectOf(info))[0]).httpStatusCode);
  const details = textOf(error.additionalDetails);
  const message = textOf(error.message) ?? 'error';
  return { code, message: details === undefined ? message : `${message}: ${details}`, ...present({ httpStatus }) };
}

export function tokensOf(value: unknown): Tokens {
  const usage = objectOf(value);
  return present({
    input: numberOf(usage.inputTokens) ?? numberOf(usage.input_tokens),
    output: numberOf(usage.outputTokens) ?? numberOf(usage.output_tokens),
    cacheRead: numberOf(usage.cachedInputTokens) ?? numberOf(usage.cached_input_tokens),
    cacheWrite: numberOf(usage.cacheWriteInputTokens) ?? numberOf(usage.cache_write_input_tokens),
    reasoning: numberOf(usage.reasoningOutputTokens) ?? numberOf(usage.reasoning_output_tokens),
    total: numberOf(usage.totalTokens),
  });
}

function planEntry(value: unknown): PlanEntry {
  const { step, status } = objectOf(value);
  const known = status === 'inProgress' ? 'in_progress' : status === 'completed' ? 'completed' : 'pending';
  return { text: textOf(step) ?? '', status: known };
}
