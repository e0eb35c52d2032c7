/** `codex app-server`: JSON-RPC over lines, without the member `jsonrpc`. Based on version 0.166.0. */
import type { Content } from '@spool/protocol/agent';
import { beginConnection, rpcMessage, unreadableRequest } from '../json-rpc.ts';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-value.ts';
import type { Capabilities } from '../ledger/commands.ts';
import type { QueuedPrompt } from '../ledger/state.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { answerPermission, answerQuestion, takeApproval, noteCodexAnswer } from './approvals.ts';
import { isKnownTo } from '../versions.ts';
import { stopListed } from './interrupted-commands.ts';
import { notification, threadStarted, versionOf } from './notifications.ts';
import { type CodexState, type CodexWork, initialCodex, sendCodexRequest } from './state.ts';

export const codexAppServer = dialectOf<CodexState>({
  source: 'codex',
  initial: initialCodex,
  message,
  unreadable: unreadableRequest,
  sent,
  started(work) {
    const { state, ledger } = work;
    beginConnection(state.rpc);
    state.asked = {};
    if (state.options.isReadOnly) return;
    const version = state.options.clientVersion ?? '0';
    const capabilities = { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: [] };
    sendCodexRequest(work, 'initialize', { clientInfo: { name: 'spool', title: 'Spool', version }, capabilities });
    ledger.state.isReady = false;
  },
  capabilities,
  program({ state }) {
    const version = versionOf(state.userAgent);
    return version === undefined || !state.isStarted ? null : { name: 'codex', version };
  },
  resumable: ({ state }) => (state.ledger.turns > 0 ? state.thread : null),
  typeOf: (line) => textOf(line.method) ?? 'response',
});

function message(work: CodexWork, line: JsonObject): boolean {
  const rpc = rpcMessage(line);
  if (!rpc) return false;
  if (rpc.type === 'notification') return notification(work, rpc.method, objectOf(rpc.params));
  if (rpc.type === 'request') return takeApproval(work, rpc.id, rpc.method, objectOf(rpc.params));
  return response(work, rpc.id, objectOf(rpc.result), rpc.error);
}

function response(work: CodexWork, id: string, result: JsonObject, error: JsonObject | undefined): boolean {
  const { state, ledger } = work;
  const { method, note } = state.rpc.pending[id] ?? { method: '', note: null };
  delete state.rpc.pending[id];
  if (method === 'thread/backgroundTerminals/list') return stopListed(work, note, result);
  if (error) {
    const text = textOf(error.message) ?? 'the agent refused a request';
    ledger.emit({ kind: 'notice', level: 'error', code: method || 'error', text });
    if (method === 'turn/start')
      ledger.endTurn({
        outcome: 'failed',
        stopReason: 'not-started',
        error: { code: String(error.code), message: text },
      });
    // A new thread would lack the conversation, so a failed resume starts none.
    if (method === 'thread/resume' && note === 'first') {
      const message = `Codex cannot resume its thread ${work.state.options.resume}: ${text}`;
      ledger.emit({ kind: 'fault', error: { code: 'resume', message }, fatal: true });
      ledger.closes = true;
    }
    return true;
  }
  if (textOf(result.userAgent) !== undefined) {
    state.userAgent = textOf(result.userAgent) ?? null;
    if (method === 'initialize' && !state.options.isReadOnly) {
      ledger.write({ method: 'initialized' });
      startThread(work, state.thread ?? state.options.resume ?? null);
    }
  } else if (textOf(objectOf(result.thread).id) !== undefined && result.approvalPolicy !== undefined) {
    // Handles the response to thread/start, resume or fork; the response to reading a thread has no policy.
    threadStarted(work, objectOf(result.thread), result);
  } else if (method === 'turn/start') {
    state.turn ??= textOf(objectOf(result.turn).id) ?? null;
  }
  return true;
}

/** The approval policies of Codex, which are its modes here. */
const APPROVALS: readonly string[] = ['on-request', 'untrusted', 'never'];

/** Returns the approval policies of this version. */
function approvalsOf({ userAgent }: CodexState): readonly string[] {
  const version = versionOf(userAgent);
  return version !== undefined && isKnownTo({ name: 'codex', version }, 'on-failure')
    ? [...APPROVALS, 'on-failure']
    : APPROVALS;
}

function startThread(work: CodexWork, resume: string | null): void {
  const { cwd, model, mode } = work.state.options;
  const approvals = approvalsOf(work.state);
  if (mode !== undefined && !approvals.includes(mode)) {
    const text = `Codex has no mode ${JSON.stringify(mode)}, only ${approvals.join(', ')}; it asks on request.`;
    work.ledger.emit({ kind: 'notice', level: 'warning', code: 'mode', text });
  }
  const settings = {
    cwd: cwd ?? null,
    model: work.state.model ?? model ?? null,
    approvalPolicy: mode !== undefined && approvals.includes(mode) ? mode : 'on-request',
    sandbox: 'workspace-write',
  };
  if (resume === null) sendCodexRequest(work, 'thread/start', settings);
  else sendCodexRequest(work, 'thread/resume', { ...settings, threadId: resume, excludeTurns: true }, 'first');
}

function sent(work: CodexWork, line: JsonObject): void {
  const { state, ledger } = work;
  const rpc = rpcMessage(line);
  if (rpc?.type === 'response') {
    const id = textOf(line.id) ?? numberOf(line.id);
    if (id !== undefined) noteCodexAnswer(work, id, line);
  } else if (rpc?.type === 'request') {
    state.rpc.pending[String(rpc.id)] = { method: rpc.method, note: null };
    if (rpc.method !== 'turn/start' || ledger.state.turn) return;
    const prompt = listOf(objectOf(rpc.params).input).map((value): Content => {
      const text = textOf(objectOf(value).text);
      return text === undefined ? { type: 'other', value } : { type: 'text', text };
    });
    ledger.startTurn('user', { prompt });
  }
}

export function capabilities(work: CodexWork): Capabilities {
  const { state, ledger } = work;
  const target = (): { threadId: string | null } => ({ threadId: state.thread });
  return {
    prompt: (prompt) => sendCodexRequest(work, 'turn/start', { ...target(), ...turnOf(prompt), model: state.model }),
    steer(prompt) {
      const { turn } = state;
      // Codex merges a turn into the running one.
      if (turn === null) sendCodexRequest(work, 'turn/start', { ...target(), ...turnOf(prompt) });
      else sendCodexRequest(work, 'turn/steer', { ...target(), expectedTurnId: turn, ...turnOf(prompt) });
    },
    interrupt() {
      if (state.turn !== null) sendCodexRequest(work, 'turn/interrupt', { ...target(), turnId: state.turn });
    },
    permission: (key, choice) => answerPermission(work, key, choice),
    question: (key, answers) => answerQuestion(work, key, answers),
    setModel(model) {
      state.model = model; // Sent with the next turn.
      ledger.emit({ kind: 'session.updated', model });
    },
    stopTask: (task) =>
      sendCodexRequest(work, 'thread/backgroundTerminals/terminate', { ...target(), processId: task }),
  };
}

export function turnOf(prompt: QueuedPrompt): JsonObject {
  return { input: prompt.content.map(inputOf), clientUserMessageId: prompt.clientId };
}

function inputOf(part: Content): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, text_elements: [] };
    case 'image':
      if (part.data !== undefined) return { type: 'image', url: `data:${part.mime};base64,${part.data}` };
      return { type: 'localImage', path: (part.uri ?? '').replace(/^file:\/\//, '') };
    case 'resource':
      return {
        type: 'text',
        text: part.text === undefined ? `@${part.uri}` : `${part.uri}:\n${part.text}`,
        text_elements: [],
      };
    case 'other':
      return part.value;
  }
}
