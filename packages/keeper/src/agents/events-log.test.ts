import { mkdtempSync, readdirSync, rmSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpoolError } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { EventsLog } from './events-log.ts';

const SERVICES = {
  flusher: { note() {}, forget() {} },
  housekeeper: { note() {}, forget() {} },
  openLogs: { touch() {}, forget() {} },
} as unknown as ConstructorParameters<typeof EventsLog>[1];

function folder(): string {
  const made = mkdtempSync(`${tmpdir()}/spool-events-`);
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function textOf({ log }: EventsLog): string {
  let text = '';
  for (let at = log.start; at < log.end;) {
    const read = log.read(at, 64 * 1024);
    if (read.type !== 'bytes') break;
    text += Buffer.from(read.bytes).toString();
    at += read.bytes.length;
  }
  return text;
}

test('[EVT-3] a line goes to the expected offset, or nowhere', () => {
  const events = new EventsLog(folder(), SERVICES);
  expect(events.append('{"a":1}', 0)).toBe(8);
  expect(() => events.append('{"b":2}', 0)).toThrow(new SpoolError('EVENTS_MOVED', { offset: 8 }));
  expect(events.append('{"b":2}', 8)).toBe(16);
  expect(textOf(events)).toBe('{"a":1}\n{"b":2}\n');
});

test('[EVT-3] a line that a kill has torn is ended by the next one', () => {
  const place = folder();
  const first = new EventsLog(place, SERVICES);
  first.append('{"a":1}');
  first.close();
  const name = readdirSync(join(place, 'events')).find((file) => file.endsWith('.log'))!;
  appendFileSync(join(place, 'events', name), '{"to'); // written, but not noted any more
  const next = new EventsLog(place, SERVICES);
  const end = next.log.end; // as a driver sees it: its line begins there
  expect(end).toBe(13);
  next.append('{"b":2}', end);
  expect(textOf(next)).toBe('{"a":1}\n{"to\n{"b":2}\n');
});

test('the start of a line is found from any offset in it, however long it is', () => {
  const events = new EventsLog(folder(), SERVICES);
  const lines = ['{"a":1}', JSON.stringify({ long: 'x'.repeat(200_000) }), '{"b":2}'];
  const starts: number[] = [];
  for (const line of lines) {
    starts.push(events.log.end);
    events.append(line);
  }
  for (const [at, start] of starts.entries())
    for (const inside of [0, 1, lines[at]!.length]) expect(events.lineStart(start + inside)).toBe(start);
  expect(events.lineStart(events.log.end)).toBe(events.log.end);
});
