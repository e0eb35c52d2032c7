import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentEventsRedaction } from './agent-events.ts';

const RECORDS = [
  {
    type: 'command',
    id: 'c1',
    at: 1,
    by: 'kim "k" ü\n',
    command: { do: 'prompt', clientId: 'c1', content: [{ by: 'x' }] },
  },
  {
    type: 'batch',
    at: 2,
    driver: 'd',
    inputs: [{ command: 0 }, { policy: { do: 'permission', request: 'r' }, rule: 'r' }],
    events: [
      { seq: 1, kind: 'session.started', agentName: 'Claude', cwd: '/home/kim', tools: ['who', 'cwd'] },
      { seq: 2, kind: 'tool.started', tool: 't', toolKind: 'other', input: { who: 'a', cwd: 'b', by: { by: 'c' } } },
      { seq: 3, kind: 'permission.resolved', request: 'r', decision: 'allow', by: 'watcher', who: 'kim' },
      { seq: 4, kind: 'command.refused', command: 'c', do: 'prompt', code: 'ended', message: 'no', by: 'kim' },
      { seq: 5, kind: 'raw', type: 'account', value: { email: ['kim@example.com', { kim: 'kim' }] } },
      { seq: 6, kind: 'message.done', message: 'm', part: 0, text: '"who":"kim"' },
    ],
    writes: ['{"cwd":"/home/kim"}', 17],
    written: 3,
  },
  { type: 'driver', at: 3, state: 'failed', reason: 'it crashed' },
];
const TEXT = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('');

function redacted(bytes: Uint8Array, cuts: readonly number[] = []): string {
  const redaction = new AgentEventsRedaction();
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return Buffer.concat(
    places.slice(1).map((to, at) => Buffer.from(redaction.redact(bytes.subarray(places[at], to)))),
  ).toString();
}

test('[DOOR-45] of the events of an agent, names, folders and what the driver wrote become stars of the same length', () => {
  const whole = redacted(Buffer.from(TEXT));
  expect(Buffer.byteLength(whole)).toBe(Buffer.byteLength(TEXT));
  const [command, batch, driver] = whole
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as (typeof RECORDS)[1]);
  expect(command).toEqual({ ...RECORDS[0], by: '*'.repeat(14) });
  const stars = (text: string): string => '*'.repeat(text.length);
  const [started, tool, resolved, refused, raw, message] = RECORDS[1]!.events!;
  expect(batch!.events).toEqual([
    { ...started, cwd: stars('/home/kim') },
    tool,
    { ...resolved, who: '***' },
    { ...refused, by: '***' },
    { ...raw, value: { '*****': [stars('kim@example.com'), { '***': '***' }] } },
    message,
  ]);
  expect(batch!.writes).toEqual([stars('{\\"cwd\\":\\"/home/kim\\"}'), 17]);
  expect(batch!.inputs).toEqual(RECORDS[1]!.inputs);
  expect(driver).toEqual(RECORDS[2]);
});

test('[DOOR-45] however the log is cut into frames, the same is hidden', () => {
  const bytes = Buffer.from(TEXT);
  const whole = redacted(bytes);
  fc.assert(fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => redacted(bytes, cuts) === whole));
});

test('[DOOR-45] a line that begins in its middle, or is no record, is blank', () => {
  const bytes = Buffer.from(TEXT);
  const middle = bytes.indexOf('{"seq":3');
  for (const piece of [
    bytes.subarray(middle),
    bytes.subarray(middle + 1),
    Buffer.from(`[${TEXT}`),
    Buffer.from('{"who":"kim"}\n'),
  ]) {
    const [line] = redacted(piece).split('\n');
    expect(line!.trim()).toMatch(/^(\{"\w+")?$/);
  }
  const redaction = new AgentEventsRedaction();
  redaction.skipLine();
  expect(Buffer.from(redaction.redact(Buffer.from('"}\n{"type":"driver"}\n'))).toString()).toBe(
    '  \n{"type":"driver"}\n',
  );
});
