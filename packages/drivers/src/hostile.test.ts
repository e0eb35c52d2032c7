/** Agents that write nonsense: nothing is dropped, nothing throws, nothing grows without bound. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DriverInput } from './dialect.ts';
import { DIALECTS, DRIVER_NAMES } from './dialects.ts';
import { Driver } from './driver.ts';
import { parseJson } from './json-value.ts';
import { Conversation } from './testing/conversation.ts';
import { faultsOf } from './testing/faults.ts';
import { eventsOf, inputsOf } from './testing/recordings.ts';

test.each(DRIVER_NAMES)(
  '[DRV-5] %s shows what it does not know: text, foreign JSON, unknown types, escapes',
  (agent) => {
    const lines = [
      'plain text \u001b]0;evil\u0007',
      '[1,2]',
      '{"type":"nobody/knows","a":1}',
      '{"broken":',
      '"text"',
      'null',
    ];
    const raw = eventsOf(agent, inputsOf(Buffer.from(lines.join('\n')))).filter(({ kind }) => kind === 'raw');
    expect(raw).toHaveLength(lines.length);
  },
);

test.each(DRIVER_NAMES)('[DRV-5] no JSON makes %s throw or lose its balance', (agent) => {
  const word = fc.constantFrom(
    ...[
      'type',
      'method',
      'params',
      'id',
      'result',
      'error',
      'update',
      'sessionUpdate',
      'event',
      'item',
      'message',
      'content',
    ],
    ...[
      'part',
      'state',
      'status',
      'properties',
      'jsonrpc',
      '2.0',
      'tool_use',
      'user',
      'system',
      '__proto__',
      'constructor',
    ],
    ...[
      'assistant',
      'result',
      'stream_event',
      'session/update',
      'tool_call',
      'item/started',
      'turn/completed',
      'toolCallId',
    ],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      word,
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(word, tie('value')),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(fc.dictionary(word, value), { maxLength: 20 }), (messages) => {
      const text = messages.map((message) => JSON.stringify(message)).join('\n');
      expect(faultsOf(eventsOf(agent, inputsOf(Buffer.from(text))))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('[DRV-42] a flood of open messages, tools and requests does not grow the state without bound', () => {
  const driver = new Driver(DIALECTS.claude, 'session', { isReadOnly: true });
  const text = 'x'.repeat(100_000);
  for (let n = 0; n < 700; n++) {
    const event = { type: 'content_block_delta', index: n, delta: { type: 'text_delta', text } };
    driver.take(line({ type: 'stream_event', event, api_message_id: `m${n}` }));
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `t${n}`, input: { command: 'x' } };
    driver.take(line({ type: 'control_request', request_id: `r${n}`, request }));
  }
  expect(JSON.stringify(driver.checkpoint).length).toBeLessThan(6_000_000);
});

test('a raw value and a line of stderr are shown, but never more than a screenful', () => {
  const [event] = eventsOf('claude', [line({ type: 'new', data: 'x'.repeat(1_000_000) })]);
  expect(JSON.stringify(event).length).toBeLessThan(20_000);
  expect(event).toMatchObject({ kind: 'raw', type: 'new', truncated: true });
});

test('a gap in the output ends what was open, and says so', () => {
  const talk = new Conversation('claude', { isReadOnly: true });
  talk.says({ type: 'system', subtype: 'init', session_id: 's' });
  const driver = new Driver(DIALECTS.claude, 'session', { isReadOnly: true });
  driver.take(line({ type: 'system', subtype: 'init', session_id: 's' }));
  const { events } = driver.take({ type: 'gap', at: 2, from: 10, to: 20 });
  expect(events.map(({ kind }) => kind)).toEqual(['notice', 'turn.ended', 'status']);
});

function line(message: unknown): DriverInput {
  const text = JSON.stringify(message);
  return { type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: 1 };
}

test('[DRV-40] a line that is nested too deep or has too many objects is not parsed, and shown; one with such signs in its texts is', () => {
  const long = 'x'.repeat(3000);
  for (const value of ['['.repeat(300) + ']'.repeat(300), `[${'{},'.repeat(20_001)}1]`]) {
    const line = `{"type":"assistant","pad":"${long}","message":${value}}`;
    expect(parseJson(line)).toBeUndefined();
    const [event] = eventsOf('claude', inputsOf(Buffer.from(`${line}\n`)));
    expect(event).toMatchObject({ kind: 'raw', type: 'text' });
  }
  const texts = ['['.repeat(50_000), '\\"'.repeat(5000), '"['.repeat(5000), '\\'.repeat(5001)];
  for (const text of texts) expect(parseJson(JSON.stringify({ text, long }))).toEqual({ text, long });
  expect(parseJson(`{"open": "${long}`)).toBeUndefined();
});
