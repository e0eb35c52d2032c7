/**
 * The Agent Client Protocol, version 1: JSON-RPC over lines. Gemini, Grok, OpenCode and every other ACP agent speak it; the
 * `extension` of an agent handles what only that agent has. Based on SDK 2.4.0. Keeps DRV-13.
 */
import type { AgentSource, Content, Tokens, TurnOutcome } from '@spool/protocol/agent';
import type { Dialect } from '../dialect.ts';
import { beginConnection, openKey, rpcMessage, unreadableRequest } from '../json-rpc.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import type { Capabilities } from '../ledger/commands.ts';
import type { QueuedPrompt } from '../ledger/state.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { isKnownTo, type ProgramVersion } from '../versions.ts';
import { answerPermission, answerQuestion, takeRequest, cancelAsks, noteAcpAnswer } from './asks.ts';
import { type AcpState, type AcpWork, initialAcp, sendAcpRequest } from './state.ts';
import { blockContent } from './tools.ts';
import { settingsOf, update } from './updates.ts';

/** Handles the notifications that only this agent has. Returns false if one is unknown. */
export type AcpExtension = (work: AcpWork, method: string, params: JsonObject) => boolean;

export function acpDialect(source: AgentSource, extension: AcpExtension = () => false): Dialect<AcpState> {
  return dialectOf<AcpState>({
    source,
    initial: initialAcp,
    message: (work, line) => acpMessage(work, line, extension),
    unreadable: unreadableRequest,
    sent,
    started: startAcp,
    capabilities: acpCapabilities,
    program: ({ state }) => (state.isStarted ? acpProgram(state) : null),
    resumable: ({ state }) => (state.canLoad || state.canResume ? state.session : null),
    typeOf(line) {
      const kind = textOf(objectOf(objectOf(line.params).update).sessionUpdate);
      return [textOf(line.method) ?? 'response', ...(kind === undefined ? [] : [kind])].join(' ');
    },
  });
}

export const acp = acpDialect('acp');

export function startAcp(work: AcpWork): void {
  const { state } = work;
  beginConnection(state.rpc);
  state.asked = {};
  state.prompts = [];
  if (state.options.isReadOnly) return;
  sendAcpRequest(work, 'initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    },
    clientInfo: { name: 'spool', title: 'Spool', version: state.options.clientVersion ?? '0' },
  });
}

export function acpMessage(work: AcpWork, line: JsonObject, extension: AcpExtension): boolean {
  const rpc = rpcMessage(line);
  if (!rpc) return false;
  const params = objectOf('params' in rpc ? rpc.params : undefined);
  if (rpc.type === 'request') return takeRequest(work, rpc.id, rpc.method, params);
  if (rpc.type === 'response') return response(work, rpc.id, objectOf(rpc.result), rpc.error);
  switch (rpc.method) {
    case 'session/update':
      return update(work, params) || extension(work, rpc.method, params);
    case '$/cancel_request': {
      const key = openKey(work.state.asked, params.requestId);
      if (key === undefined) return true;
      delete work.state.asked[key];
      work.ledger.withdraw(key, 'withdrawn by the agent');
      return true;
    }
    case 'elicitation/complete':
    case '_auth/status_update':
      return true;
    default:
      return extension(work, rpc.method, params);
  }
}

function response(work: AcpWork, id: string, result: JsonObject, error: JsonObject | undefined): boolean {
  const { state, ledger } = work;
  const { method, note } = state.rpc.pending[id] ?? { method: '', note: null };
  delete state.rpc.pending[id];
  if (error) return takeError(work, id, method, error);
  if (textOf(result.stopReason) !== undefined) return prompted(work, id, result);
  if (result.protocolVersion !== undefined) return initialized(work, result);
  const session = textOf(result.sessionId);
  if (session !== undefined || method === 'session/load' || method === 'session/resume' || isLoaded(result)) {
    if (state.isFollowing && state.prompts.length === 0 && !state.options.isWatching)
      ledger.endTurn({ outcome: 'completed', stopReason: 'history' });
    if (!state.options.isWatching) state.isFollowing = false;
    if (state.isSkipping && endsLater(state) && !state.isHistoryOver) state.isHistoryDue = true;
    else state.isSkipping = false;
    sessionReady(work, session ?? note ?? state.session ?? undefined, result);
  }
  return true;
}

export function acpProgram({ agentName, agentVersion }: AcpState): ProgramVersion | null {
  return agentName === null || agentVersion === null ? null : { name: agentName, version: agentVersion };
}

/** Whether the answer comes before the history that is being loaded. */
function endsLater(state: AcpState): boolean {
  const program = acpProgram(state);
  return program !== null && isKnownTo(program, 'history-after-load');
}

/** The result of loading a session has its settings, but no id. */
function isLoaded(result: JsonObject): boolean {
  return isObject(result.modes) || isObject(result.models) || Array.isArray(result.configOptions);
}

function initialized(work: AcpWork, result: JsonObject): boolean {
  const { state } = work;
  const capabilities = objectOf(result.agentCapabilities);
  const { name, version } = objectOf(result.agentInfo);
  state.agentName = textOf(name) ?? null;
  state.agentVersion = textOf(version) ?? null;
  state.canLoad = capabilities.loadSession === true;
  state.canResume = isObject(objectOf(capabilities.sessionCapabilities).resume);
  if (state.options.isReadOnly || state.options.isWatching) return true;
  const place = { cwd: state.options.cwd ?? '/', mcpServers: [] };
  const { session } = state;
  if (session !== null && state.canResume)
    sendAcpRequest(work, 'session/resume', { ...place, sessionId: session }, session);
  else if (session !== null && state.canLoad) {
    state.isSkipping = state.options.isContinued === true;
    sendAcpRequest(work, 'session/load', { ...place, sessionId: session }, session);
  } else if (session !== null) cannotGoOn(work, 'it offers neither session/load nor session/resume');
  else sendAcpRequest(work, 'session/new', place);
  return true;
}

function sessionReady(work: AcpWork, session: string | undefined, result: JsonObject): void {
  const { state, ledger } = work;
  const isFirst = !state.ledger.isReady;
  const options = settingsOf(result.configOptions);
  const model = textOf(objectOf(result.models).currentModelId) ?? options.model;
  const mode = textOf(objectOf(result.modes).currentModeId) ?? options.mode;
  const own = listOf(result.configOptions)
    .map(objectOf)
    .find(({ category }) => category === 'model');
  state.modelOption = isObject(result.models) ? null : (textOf(own?.id) ?? null);
  const settings = present({ agentSession: session, model, mode });
  const about = present({ agentVersion: state.agentVersion ?? undefined, cwd: state.options.cwd });
  if (state.isStarted) ledger.emit({ kind: 'session.updated', ...settings });
  else ledger.emit({ kind: 'session.started', agentName: state.agentName ?? 'acp', ...about, ...settings });
  state.isStarted = true;
  state.session = session ?? state.session;
  state.ledger.isReady = !state.isHistoryDue;
  if (isFirst && !state.options.isReadOnly && !state.options.isWatching) choose(work, { model, mode });
}

/** Sets the options of the session before the first prompt; if the agent refuses one, an event reports the fault. */
function choose(
  work: AcpWork,
  current: { readonly model?: string | undefined; readonly mode?: string | undefined },
): void {
  const { model, mode } = work.state.options;
  if (model !== undefined && model !== current.model) setModel(work, model);
  if (mode !== undefined && mode !== current.mode)
    sendAcpRequest(work, 'session/set_mode', { sessionId: work.state.session, modeId: mode });
}

function setModel(work: AcpWork, model: string): void {
  const { modelOption, session: sessionId } = work.state;
  if (modelOption === null) sendAcpRequest(work, 'session/set_model', { sessionId, modelId: model });
  else sendAcpRequest(work, 'session/set_config_option', { sessionId, configId: modelOption, value: model });
}

const OUTCOMES: Readonly<Record<string, TurnOutcome>> = {
  end_turn: 'completed',
  cancelled: 'interrupted',
  refusal: 'refused',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
};

function prompted(work: AcpWork, id: string, result: JsonObject): boolean {
  const stopReason = textOf(result.stopReason) ?? 'end_turn';
  const { ledger, state } = work;
  if (!ledger.state.turn && state.prompts.length === 0 && state.toldEnd === ledger.state.turns && state.toldEnd > 0) {
    state.toldEnd = 0;
    return true;
  }
  ledger.ensureTurn();
  endPrompt(work, id, {
    outcome: Object.hasOwn(OUTCOMES, stopReason) ? OUTCOMES[stopReason]! : 'completed',
    stopReason,
    usage: tokensOf(result),
  });
  return true;
}

/** Ends the turn of a prompt. If another prompt was sent meanwhile, its turn begins. */
export function endPrompt(work: AcpWork, id: string, end: Parameters<AcpWork['ledger']['endTurn']>[0]): void {
  const { state, ledger } = work;
  ledger.closeParts();
  for (const tool of state.denied) ledger.endTool(tool, { status: 'denied' });
  ledger.endTurn(end);
  state.prompts = state.prompts.filter((known) => known !== id);
  state.denied = [];
  state.diffs = {};
  state.asked = {};
  state.attempt = [];
  state.message = null;
  state.last = null;
  state.isFollowing = false;
  if (state.prompts.length > 0) ledger.startTurn('queue');
}

function takeError(work: AcpWork, id: string, method: string, error: JsonObject): boolean {
  const { state, ledger } = work;
  const text = textOf(error.message) ?? 'the agent refused a request';
  const fault = { code: String(error.code ?? 'error'), message: text };
  // In a recording of only the agent's side, an error during a turn belongs to that turn.
  const isTurn = method === 'session/prompt' || (method === '' && ledger.state.turn !== null && state.isStarted);
  if (isTurn) {
    ledger.ensureTurn();
    endPrompt(work, id, { outcome: 'failed', stopReason: 'error', error: fault });
    return true;
  }
  const { isReadOnly, isWatching } = state.options;
  if ((method === 'session/load' || method === 'session/resume') && !isReadOnly && !isWatching) {
    state.isSkipping = false;
    const details = textOf(objectOf(error.data).details);
    cannotGoOn(work, details === undefined ? text : `${text}: ${details}`);
  } else ledger.emit({ kind: 'fault', error: fault, fatal: method === 'initialize' || method === 'session/new' });
  return true;
}

/** Reports that the session cannot be resumed. A new session would lack the conversation, so none is started. */
function cannotGoOn({ state, ledger }: AcpWork, why: string): void {
  const message = `the agent cannot resume its session ${state.session}: ${why}`;
  ledger.emit({ kind: 'fault', error: { code: 'resume', message }, fatal: true });
  ledger.closes = true;
}

function tokensOf(result: JsonObject): Tokens | undefined {
  const meta = objectOf(result._meta);
  const counts = [result.usage, meta.usage, objectOf(meta.quota).token_count].find(isObject);
  if (!counts) return undefined;
  return present({
    input: numberOf(counts.inputTokens) ?? numberOf(counts.input_tokens),
    output: numberOf(counts.outputTokens) ?? numberOf(counts.output_tokens),
    cacheRead: numberOf(counts.cachedReadTokens),
    cacheWrite: numberOf(counts.cachedWriteTokens),
    reasoning: numberOf(counts.thoughtTokens),
    total: numberOf(counts.totalTokens),
  });
}

function sent(work: AcpWork, line: JsonObject): void {
  const { state, ledger } = work;
  const rpc = rpcMessage(line);
  if (rpc?.type === 'response') {
    const id = textOf(line.id) ?? numberOf(line.id);
    if (id !== undefined) noteAcpAnswer(work, id, line);
    return;
  }
  if (rpc?.type !== 'request') return;
  const params = objectOf(rpc.params);
  state.rpc.pending[String(rpc.id)] = { method: rpc.method, note: textOf(params.sessionId) ?? null };
  if (rpc.method !== 'session/prompt') return;
  const prompt = listOf(params.prompt).map(blockContent);
  state.prompts.push(String(rpc.id));
  if (ledger.state.turn) ledger.emit({ kind: 'prompt', state: 'queued', content: prompt });
  else ledger.startTurn('user', { prompt });
}

export function acpCapabilities(work: AcpWork): Capabilities {
  const { state, ledger } = work;
  // The session may become known only when the prompt that has waited for it is sent.
  const target = (): { sessionId: string | null } => ({ sessionId: state.session });
  return {
    prompt(prompt: QueuedPrompt) {
      const content = prompt.content.map(blockOf);
      state.prompts.push(sendAcpRequest(work, 'session/prompt', { ...target(), prompt: content }));
    },
    interrupt() {
      cancelAsks(work);
      ledger.write({ jsonrpc: '2.0', method: 'session/cancel', params: target() });
    },
    permission: (key, choice) => answerPermission(work, key, choice),
    question: (key, answers) => answerQuestion(work, key, answers),
    setMode: (mode) => void sendAcpRequest(work, 'session/set_mode', { ...target(), modeId: mode }),
    setModel: (model) => setModel(work, model),
  };
}

function blockOf(part: Content): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', mimeType: part.mime, ...present({ data: part.data, uri: part.uri }) };
    case 'resource':
      if (part.text === undefined) return { type: 'resource_link', uri: part.uri, name: part.uri };
      return { type: 'resource', resource: { uri: part.uri, text: part.text, ...present({ mimeType: part.mime }) } };
    case 'other':
      return part.value;
  }
}
