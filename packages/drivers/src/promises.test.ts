/** Promises to people who deny, decline, interrupt or wait, for each agent where it matters. */
import { expect, test } from 'vitest';
import { DIALECTS } from './dialects.ts';
import { Driver } from './driver.ts';
import { Conversation } from './testing/conversation.ts';
import { faultsOf } from './testing/faults.ts';
import { answerIn, handshakeReplies, requestLine, turnLines } from './testing/peer-lines.ts';
import type { DriverName } from './dialects.ts';

/** Returns an agent that is in a turn. */
function working(agent: DriverName): Conversation {
  const talk = new Conversation(agent);
  const written = talk.started();
  for (let line = written.shift(); line !== undefined; line = written.shift())
    for (const reply of handshakeReplies(agent, line)) written.push(...talk.says(reply));
  talk.prompt('go', 'p0');
  for (const line of turnLines(agent)) talk.says(line);
  return talk;
}

test('[DRV-12] Claude: a question that the user declines is answered with a denial, not with an empty consent', () => {
  const talk = working('claude');
  const input = { questions: [{ question: 'Which?', options: [{ label: 'A' }] }] };
  const request = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', tool_use_id: 't1', input };
  talk.says({ type: 'control_request', request_id: 'r1', request });
  const [answer] = talk.command({ do: 'answer', request: 'r1' });
  expect(answer.response.response).toEqual({ behavior: 'deny', message: 'The user declined to answer.' });
  expect(talk.last('question.resolved')).toMatchObject({ decision: 'declined' });
});

test('[DRV-8] an interrupt that also takes the queue away says so of each prompt', () => {
  const talk = working('claude');
  for (const id of ['p1', 'p2']) talk.prompt(id, id);
  talk.command({ do: 'interrupt', alsoQueued: true });
  const cancelled = talk.events.flatMap((event) =>
    event.kind === 'prompt' && event.state === 'cancelled' ? [event.clientId] : [],
  );
  expect(cancelled).toEqual(['p1', 'p2']);
  expect(talk.last('queue')!.prompts).toEqual([]);
});

test.each(['acp', 'gemini', 'grok'] as const)('[DRV-12] %s: a command that a person denied ends as denied', (agent) => {
  const talk = working(agent);
  talk.says(requestLine(agent, 'r1'));
  const { request, digest } = talk.last('permission.requested')!;
  talk.command({ do: 'permission', request, digest: digest!, behavior: 'deny' });
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 'tool-r1', status: 'failed' };
  talk.says({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'ses_1', update } });
  expect(talk.last('tool.ended')).toMatchObject({ tool: 'tool-r1', status: 'denied' });
});

test('[DRV-2] Codex: an approval that is asked twice is one request, answered once', () => {
  const talk = working('codex');
  talk.says(requestLine('codex', 'r1'));
  talk.says(requestLine('codex', 'r1'));
  expect(talk.events.filter(({ kind }) => kind === 'permission.requested')).toHaveLength(1);
  const { request, digest } = talk.last('permission.requested')!;
  const written = talk.command({ do: 'permission', request, digest: digest!, behavior: 'allow' });
  expect(written.flatMap((line) => answerIn('codex', line) ?? [])).toEqual([{ id: 'r1', isAllowed: true }]);
  talk.exited();
  expect(faultsOf(talk.events)).toEqual([]);
});

test('[DRV-42] an agent that starts tools without end: 200 are open, and each of the others has ended', () => {
  const driver = new Driver(DIALECTS.claude, 'session', { isReadOnly: true });
  const open = new Set<string>();
  let most = 0;
  for (let n = 0; n < 1000; n++) {
    const content = [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: 'x' } }];
    const text = JSON.stringify({ type: 'assistant', message: { id: `m${n}`, role: 'assistant', content } });
    const line = { type: 'line' as const, stream: 'stdout' as const, text, offset: 0, length: text.length + 1, at: n };
    for (const event of driver.take(line).events) {
      if (event.kind === 'tool.started') open.add(event.tool);
      if (event.kind === 'tool.ended') open.delete(event.tool);
    }
    most = Math.max(most, open.size);
  }
  expect(most).toBe(200);
  expect(open.has('t999')).toBe(true);
});

test('[HTTP-40] OpenCode: an answer that never arrives is sent again for a while, not for ever', () => {
  const talk = working('opencode');
  talk.says(requestLine('opencode', 'per_1'));
  const { request, digest } = talk.last('permission.requested')!;
  let [reply] = talk.command({ do: 'permission', request, digest: digest!, behavior: 'deny' });
  let sent = 1;
  for (; reply !== undefined && sent < 1000; sent++)
    [reply] = talk.says({ id: reply.id, http: reply.http, status: 502, body: { message: 'socket hang up' } });
  expect(sent).toBe(51 + 1);
  expect(talk.last('fault')).toMatchObject({ error: { code: 'http-502' } });
});
