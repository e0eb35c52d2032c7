/** Versions that were tested, and others: the recordings again, with another version in them. */
import { expect, test } from 'vitest';
import { Conversation } from './testing/conversation.ts';
import { eventsOf, inputsOf, recordings } from './testing/recordings.ts';
import { compareVersions, isKnownTo, PROGRAMS, untested } from './versions.ts';

test.each([
  ['2.1.325', '2.1.325', 0],
  ['2.1.9', '2.1.10', -1],
  ['2.2', '2.1.999', 1],
  ['v0.61.0', '0.61.0', 0],
  ['0.61.0-preview.2', '0.61.0', -1],
  ['0.61.0-preview.2', '0.61.0-preview.1', 1],
  ['not a version', '0.0.1', -1],
] as const)('versions are compared by their numbers: %s and %s', (a, b, sign) => {
  expect(compareVersions(a, b)).toBe(sign);
  expect(compareVersions(b, a)).toBe(sign === 0 ? 0 : -sign);
});

test('ranges of versions are in order', () => {
  for (const { tested, differences } of PROGRAMS) {
    expect(compareVersions(tested[0], tested[1])).toBeLessThanOrEqual(0);
    for (const { from = '0.0.0', before = '99999.0.0' } of differences)
      expect(compareVersions(from, before)).toBeLessThan(0);
  }
});

test('[DRV-15] a difference holds for its versions, and for others as for the nearest', () => {
  expect(isKnownTo({ name: 'codex', version: '0.142.9' }, 'on-failure')).toBe(true);
  expect(isKnownTo({ name: 'codex', version: '0.143.0' }, 'on-failure')).toBe(false);
  expect(isKnownTo({ name: 'codex', version: '9.0.0' }, 'on-failure')).toBe(false);
  expect(isKnownTo({ name: 'gemini-cli', version: '9.0.0' }, 'history-after-load')).toBe(true);
  expect(isKnownTo({ name: 'nobody', version: '1.0.0' }, 'history-after-load')).toBe(false);
  expect(untested({ name: 'nobody', version: '1.0.0' })).toBeNull();
});

/** The version as it stands in the recordings, and others that take its place. */
const RECORDED = [
  ['claude', '2.1.325', '2.1.900', 'newer'],
  ['claude', '2.1.325', '1.0.30', 'older'],
  ['codex', '0.166.0', '0.199.0', 'newer'],
  ['codex', '0.166.0', '0.120.0', 'older'],
  ['opencode', '1.18.33', '1.17.0', 'older'],
  ['opencode', '1.18.33', '2.0.1', 'newer'],
  ['acp', '0.61.0', '0.71.2', 'newer'],
  ['acp', '0.99.1', '0.80.0', 'older'],
] as const;

test.each(RECORDED)(
  '[DRV-15] recordings of %s whose version %s reads %s: an event says once that it is %s, and all others are the same',
  (agent, version, another, age) => {
    let told = 0;
    for (const { name, bytes } of recordings().filter((recording) => recording.agent === agent)) {
      const text = Buffer.from(bytes).toString();
      const changed = Buffer.from(text.replaceAll(version, another));
      const wanted = eventsOf(agent, inputsOf(bytes));
      const events = eventsOf(agent, inputsOf(changed));
      const notices = events.filter((event) => event.kind === 'notice' && event.code === 'version');
      expect(notices.length, name).toBeLessThanOrEqual(1);
      told += notices.length;
      for (const notice of notices)
        expect(notice).toMatchObject({ text: expect.stringContaining(`${another} is ${age} than`) });
      const kinds = events.filter((event) => !notices.includes(event)).map(({ kind }) => kind);
      expect(kinds, name).toEqual(wanted.map(({ kind }) => kind));
    }
    expect(told).toBeGreaterThan(10);
  },
);

/** The behaviour of each version of a program under the same request: `tests/agent-matrix.test.ts`, up to its retry. */
test.each([
  ['claude', '2.1.239', '2.1.326'],
  ['codex', '0.140.0', '0.169.0'],
] as const)(
  '[DRV-15] %s %s and %s say the same of the same conversation, and nothing is unknown',
  (agent, ...versions) => {
    const [older, newer] = versions.map((version) => {
      const { bytes } = recordings().find(
        (recording) => recording.agent === agent && recording.name === `version-${version}.ndjson`,
      )!;
      const events = eventsOf(agent, inputsOf(bytes));
      expect(events.filter(({ kind }) => kind === 'raw' || kind === 'fault')).toEqual([]);
      return events.flatMap((event) => {
        if (event.kind === 'session.started') expect(event.agentVersion).toBe(version);
        if (event.kind === 'tool.ended') return [`${event.kind} ${event.status}`];
        if (event.kind === 'permission.resolved') return [`${event.kind} ${event.decision}`];
        if (event.kind === 'turn.ended') return [`${event.kind} ${event.outcome}`];
        return event.kind === 'message.done' ? [event.kind] : [];
      });
    });
    expect(newer).toEqual(older);
    expect(newer!.filter((line) => line.startsWith('turn.ended'))).toHaveLength(6);
    expect(newer).toContain('tool.ended denied');
  },
);

test('[DRV-15, DRV-5] a version with lines that are not known: they are shown as they are, and the turn goes on', () => {
  const talk = new Conversation('claude');
  const [{ request_id }] = talk.started();
  talk.says({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  talk.prompt('go', 'p1');
  talk.says({ type: 'system', subtype: 'init', session_id: 's', model: 'm', claude_code_version: '3.0.0', tools: [] });
  talk.says({ type: 'holographic', value: 1 });
  talk.says({ type: 'result', subtype: 'success', is_error: false, result: 'done', total_cost_usd: 0 });
  expect(talk.last('notice')).toMatchObject({
    code: 'version',
    text: expect.stringContaining('claude 3.0.0 is newer'),
  });
  expect(talk.last('raw')).toMatchObject({ type: 'holographic' });
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'completed', text: 'done' });
});

test('[DRV-15] codex before 0.143 still has the mode on-failure', () => {
  for (const [version, policy] of [
    ['0.142.0', 'on-failure'],
    ['0.166.0', 'on-request'],
  ]) {
    const talk = new Conversation('codex', { cwd: '/project', mode: 'on-failure' });
    const [initialize] = talk.started();
    const [, start] = talk.says({ id: initialize.id, result: { userAgent: `spool/${version} (x)` } });
    expect(start.params.approvalPolicy).toBe(policy);
  }
});

test('[EVT-40, DRV-15] gemini: a history that follows the answer is not shown again, and the prompt waits for its end', () => {
  const talk = new Conversation('gemini', { cwd: '/project', resume: 's1', isContinued: true });
  const [hello] = talk.started();
  const agentInfo = { name: 'gemini-cli', version: '0.61.0' };
  const result = { protocolVersion: 1, agentCapabilities: { loadSession: true }, agentInfo };
  const [load] = talk.says({ jsonrpc: '2.0', id: hello.id, result });
  talk.prompt('go on', 'p1');
  const update = (change: object) =>
    talk.says({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: change } });
  expect(talk.says({ jsonrpc: '2.0', id: load.id, result: { modes: { currentModeId: 'default' } } })).toEqual([]);
  update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'old' } });
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'said before' } });
  const [prompt] = update({ sessionUpdate: 'available_commands_update', availableCommands: [] });
  expect(prompt).toMatchObject({ method: 'session/prompt', params: { sessionId: 's1' } });
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'new' } });
  talk.says({ jsonrpc: '2.0', id: prompt.id, result: { stopReason: 'end_turn' } });
  expect(talk.events.filter(({ kind }) => kind === 'message.done')).toMatchObject([{ text: 'new' }]);
});
