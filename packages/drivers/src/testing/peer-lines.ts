/** The other side of a wire, in a few lines for each agent: the handshake, a request for a permission, and what answers one. */
// oxlint-disable typescript/no-explicit-any -- what is written to an agent is read as the agent would read it
import type { DriverName } from '../dialects.ts';

type Wire = 'claude' | 'codex' | 'opencode' | 'acp';

const wireOf = (agent: DriverName): Wire =>
  agent === 'claude' || agent === 'codex' || agent === 'opencode' ? agent : 'acp';

const SESSION = 'ses_1';

/** Lines that an agent answers to a line of the driver, until it is ready for a prompt. */
export function handshakeReplies(agent: DriverName, written: any): unknown[] {
  switch (wireOf(agent)) {
    case 'claude': {
      if (written.type !== 'control_request') return [];
      const response = { subtype: 'success', request_id: written.request_id, response: {} };
      return [{ type: 'control_response', response }];
    }
    case 'codex':
      if (written.method === 'initialize') return [{ id: written.id, result: { userAgent: 'codex/0.166.0' } }];
      if (written.method !== 'thread/start') return [];
      return [{ id: written.id, result: { thread: { id: SESSION }, approvalPolicy: 'on-request' } }];
    case 'opencode': {
      if (written.http !== 'POST /session') return [];
      const body = { id: SESSION, version: '1.18.33' };
      return [
        { type: 'server.connected', properties: {} },
        { id: written.id, http: written.http, status: 200, body },
      ];
    }
    case 'acp':
      if (written.method === 'initialize') return [{ jsonrpc: '2.0', id: written.id, result: { protocolVersion: 1 } }];
      if (written.method !== 'session/new') return [];
      return [{ jsonrpc: '2.0', id: written.id, result: { sessionId: SESSION } }];
  }
}

/** The line with which an agent that serves HTTP reports that the turn has begun. */
export function turnLines(agent: DriverName): unknown[] {
  if (agent !== 'opencode') return [];
  return [{ type: 'session.status', properties: { sessionID: SESSION, status: { type: 'busy' } } }];
}

/** The agent asks whether it may run a command. */
export function requestLine(agent: DriverName, id: string, command = `touch ${id}`): unknown {
  switch (wireOf(agent)) {
    case 'claude': {
      const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `tool-${id}`, input: { command } };
      return { type: 'control_request', request_id: id, request };
    }
    case 'codex': {
      const params = { threadId: SESSION, turnId: 't', itemId: `tool-${id}`, command };
      return { id, method: 'item/commandExecution/requestApproval', params };
    }
    case 'opencode': {
      const asked = { id, sessionID: SESSION, permission: 'bash', metadata: { command } };
      return { type: 'permission.asked', properties: asked };
    }
    case 'acp': {
      const toolCall = { toolCallId: `tool-${id}`, title: command, kind: 'execute', rawInput: { command } };
      const options = [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ];
      const params = { sessionId: SESSION, toolCall, options };
      return { jsonrpc: '2.0', id, method: 'session/request_permission', params };
    }
  }
}

/** The answer in a line of the driver, if it is one. */
export function answerIn(
  agent: DriverName,
  written: any,
): { readonly id: string; readonly isAllowed: boolean } | undefined {
  switch (wireOf(agent)) {
    case 'claude': {
      if (written.type !== 'control_response') return undefined;
      const { request_id: id, response } = written.response;
      return { id, isAllowed: response?.behavior === 'allow' };
    }
    case 'codex':
      if (written.result === undefined) return undefined;
      return { id: written.id, isAllowed: String(written.result.decision).startsWith('accept') };
    case 'opencode': {
      const [, id] = /^POST \/permission\/([^/]+)\/reply$/.exec(written.http ?? '') ?? [];
      return id === undefined ? undefined : { id, isAllowed: written.body.reply !== 'reject' };
    }
    case 'acp':
      if (written.result === undefined) return undefined;
      return { id: written.id, isAllowed: written.result.outcome?.optionId === 'yes' };
  }
}
