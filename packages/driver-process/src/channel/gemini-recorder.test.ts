import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GeminiRecorder } from './gemini-recorder.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(`${tmpdir()}/spool-gemini-`)));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SESSION = '11111111-2222-4333-8444-555555555555';
const CHAT = 'session-2026-11-18T14-16-11111111.jsonl';

function write(project: string, ...lines: readonly object[]): void {
  mkdirSync(`${folder}/${project}/chats`, { recursive: true });
  for (const line of lines) appendFileSync(`${folder}/${project}/chats/${CHAT}`, `${JSON.stringify(line)}\n`);
}

/** A recorder over this log, which may be that of an earlier one. */
function recorder(log: string[], whenIdle = (): Promise<void> => new Promise(() => {})): GeminiRecorder {
  const append = (line: string): Promise<void> => {
    log.push(line);
    return Promise.resolve();
  };
  const made = new GeminiRecorder({ append, source: { folder, session: SESSION }, whenIdle });
  for (const line of log) made.learn(line);
  return made;
}

const said = (log: readonly string[]): unknown[] =>
  log.map((line) => {
    const { line: copied, isIdle } = JSON.parse(line) as { line?: { id?: string; sessionId?: string }; isIdle?: true };
    return isIdle ? 'idle' : (copied?.id ?? copied?.sessionId);
  });

test('[CHAN-30] only the chat with the id that Gemini was started with is copied, and each line once', async () => {
  write('other', { sessionId: '11111111-0000-4333-8444-555555555555' }, { type: 'user', id: 'foreign' });
  const log: string[] = [];
  const first = recorder(log);
  await first.settled();
  expect(log).toEqual([]);
  write('project', { sessionId: SESSION }, { type: 'user', id: 'one' });
  first.look();
  await vi.waitFor(() => expect(said(log)).toEqual([SESSION, 'one']), 20_000);
  write('project', { type: 'user', id: 'two' });
  await vi.waitFor(() => expect(said(log)).toEqual([SESSION, 'one', 'two']), 20_000);
  first.close();
  write('project', { type: 'user', id: 'three' });
  const second = recorder(log);
  await second.settled();
  second.close();
  expect(said(log)).toEqual([SESSION, 'one', 'two', 'three']);
});

test('[CHAN-30] the idle terminal ends a turn once, after the last message of Gemini and not between its messages', async () => {
  const idles: (() => void)[] = [];
  const whenIdle = (): Promise<void> => new Promise((resolve) => idles.push(resolve));
  const log: string[] = [];
  write('project', { sessionId: SESSION }, { type: 'user', id: 'one' });
  const own = recorder(log, whenIdle);
  await own.settled();
  expect(idles).toHaveLength(0);
  write('project', { type: 'gemini', id: 'two' }, { $set: { lastUpdated: 'now' } });
  await own.settled();
  expect(idles).toHaveLength(1);
  write('project', { type: 'gemini', id: 'three' });
  idles[0]!();
  await vi.waitFor(() => expect(idles).toHaveLength(2), 20_000);
  expect(said(log)).not.toContain('idle');
  idles[1]!();
  await vi.waitFor(() => expect(said(log).at(-1)).toBe('idle'), 20_000);
  await own.settled();
  own.close();
  const next = recorder(log, whenIdle);
  await next.settled();
  next.close();
  expect(idles).toHaveLength(2);
  expect(said(log).filter((each) => each === 'idle')).toHaveLength(1);
});
