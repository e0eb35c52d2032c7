import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SessionRecord } from '@spool/store';
import type { WireStatus } from '@spool/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
