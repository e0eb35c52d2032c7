import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionRecord } from '@spool/store';
import { SpoolError, type WireStatus } from '@spool/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionServices } from '../sessions/services.ts';
import { SessionAgent } from './session-agent.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(`${tmpdir()}/spool-test-`)));
afterEach(() => rmSync(folder, { recursive: true }));

const NONE = { note() {}, forget() {}, touch() {} };
const SERVICES = {
  flusher: NONE,
  housekeeper: NONE,
  openLogs: NONE,
  home: { config: '/nowhere' },
} as unknown as SessionServices;

const WORKING: WireStatus = { state: 'working', kind: null, why: 'a turn is running', activity: null, thought: null };

test('[EVT-8] when a tool begins, the next pieces do not wait for a tick: a permission may be among them', () => {
  const record = { run: { id: 'a', agent: { name: 'claude' } }, name: 'a', startedAt: 0 } as unknown as SessionRecord;
  let tools = 0;
  const agent = new SessionAgent({
    record,
    folder,
    services: SERVICES,
    onGrown() {},
    onStatus() {},
    onTool: () => tools++,
    onFirstPrompt() {},
    onDone() {},
  });
  const said = (status?: WireStatus): number => {
    agent.append({ session: 'a', end: agent.log.end, line: '{}', consumed: 0, status });
    return tools;
  };
  expect(said()).toBe(0);
  expect(said(WORKING)).toBe(0); // a text is streamed
  expect(said({ ...WORKING, activity: 'Bash: npm test' })).toBe(1);
  expect(said()).toBe(1); // not sent again: the driver reports a status when it changes
  expect(said({ ...WORKING, state: 'blocked', activity: 'Bash: npm test' })).toBe(1);
  agent.close();
});

test('[EVT-3] a driver whose line is refused is notified that the refusal has ended a torn line, and can read to the new end', () => {
  const record = { run: { id: 'a', agent: { name: 'claude' } }, name: 'a', startedAt: 0 } as unknown as SessionRecord;
  const ends: number[] = [];
  const agent = new SessionAgent({
    record,
    folder,
    services: SERVICES,
    onGrown: () => void ends.push(agent.log.end),
    onStatus() {},
    onTool() {},
    onFirstPrompt() {},
    onDone() {},
  });
  const { log } = agent;
  const append = (): number =>
    agent.append({ session: 'a', end: ends.at(-1) ?? 0, line: '{"b":2}', consumed: 0 }).offset;
  // The disk is full after four bytes of the line.
  const whole = log.append.bind(log);
  vi.spyOn(log, 'append').mockImplementationOnce((bytes, at) => whole(bytes.subarray(0, 4), at));
  expect(append).toThrow('the disk is full');
  expect(ends).toEqual([4]);
  ends.pop(); // a driver that has not read these bytes yet
  expect(append).toThrow(new SpoolError('EVENTS_MOVED', { offset: 5 }));
  expect(ends).toEqual([5]);
  expect(append()).toBe(5 + '{"b":2}\n'.length);
  agent.close();
});
