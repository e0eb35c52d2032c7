import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClaudeRecorder } from './claude-recorder.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-recorder-`);
  mkdirSync(`${folder}/projects/p`, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hook = (path: string): string =>
  JSON.stringify({ hook: 'x', parent: 7, input: { session_id: 's', transcript_path: path } });

/** A recorder over this log, which may be that of an earlier one. */
function recorder(log: string[]): ClaudeRecorder {
  const made = new ClaudeRecorder((line) => {
    log.push(line);
    return Promise.resolve();
  });
  for (const line of log) made.learn(line);
  return made;
}

const write = (name: string): void =>
  appendFileSync(`${folder}/projects/p/s.jsonl`, `{"type":"user","name":"${name}"}\n`);
const names = (log: string[]): unknown[] =>
  log.flatMap((line) => (JSON.parse(line) as { line?: { name: string } }).line?.name ?? []);

test('[CHAN-3] every line of the transcript is recorded once, also by a recorder that was started again', async () => {
  const log = [hook(`${folder}/projects/p/s.jsonl`)];
  const first = recorder(log);
  write('one');
  appendFileSync(`${folder}/projects/p/s.jsonl`, '{"type":"api-request"}\n{"type":"us');
  await first.settled();
  appendFileSync(`${folder}/projects/p/s.jsonl`, 'er","name":"two"}\n');
  await first.settled();
  first.close();
  write('three');
  const second = recorder(log);
  await second.settled();
  await second.settled();
  second.close();
  expect(names(log)).toEqual(['one', 'two', 'three']);
});

test('[CHAN-3] growth is noticed, also in a folder that did not exist, and so is the status', async () => {
  rmSync(`${folder}/projects/p`, { recursive: true });
  const log = [hook(`${folder}/projects/p/s.jsonl`)];
  const own = recorder(log);
  own.look();
  mkdirSync(`${folder}/projects/p`);
  write('one');
  await vi.waitFor(() => expect(names(log)).toEqual(['one']), 20_000);
  write('two');
  await vi.waitFor(() => expect(names(log)).toEqual(['one', 'two']), 20_000);
  mkdirSync(`${folder}/sessions`);
  writeFileSync(`${folder}/sessions/7.json`, '{"status":"busy"}');
  await vi.waitFor(() => expect(log.at(-1)).toContain('"status":"busy"'), 20_000);
  own.close();
});

test('[CHAN-3, CHAN-40] a path that is no transcript, or a link to another file, is not read', async () => {
  writeFileSync(`${folder}/secret`, '{"type":"user","name":"one"}\n');
  mkdirSync(`${folder}/elsewhere/p`, { recursive: true });
  copyFileSync(`${folder}/secret`, `${folder}/elsewhere/p/s.jsonl`);
  symlinkSync(`${folder}/secret`, `${folder}/projects/p/s.jsonl`);
  mkdirSync(`${folder}/projects/p/s/subagents`, { recursive: true });
  symlinkSync(`${folder}/secret`, `${folder}/projects/p/s/subagents/agent-a.jsonl`);
  const log = [
    `${folder}/secret`,
    'relative/s.jsonl',
    `${folder}/elsewhere/p/s.jsonl`,
    `${folder}/projects/p/s.jsonl`,
  ].map((path) => hook(path));
  const own = recorder(log);
  await own.settled();
  own.close();
  expect(names(log)).toEqual([]);
});

test('[CHAN-3] a pipe or a device under the name of a transcript or status keeps nothing waiting', async () => {
  mkdirSync(`${folder}/sessions`);
  execFileSync('mkfifo', [`${folder}/projects/p/s.jsonl`, `${folder}/sessions/7.json`]);
  symlinkSync('/dev/zero', `${folder}/projects/p/z.jsonl`);
  const device = JSON.stringify({
    hook: 'z',
    input: { session_id: 'z', transcript_path: `${folder}/projects/p/z.jsonl` },
  });
  const log = [hook(`${folder}/projects/p/s.jsonl`), device];
  const own = recorder(log);
  await own.settled();
  own.close();
  expect(log).toHaveLength(2);
});

test('[CHAN-3, CHAN-40] of a line of 40 MB, its long text is cut, and the lines after it are recorded', async () => {
  const log = [hook(`${folder}/projects/p/s.jsonl`)];
  const own = recorder(log);
  appendFileSync(`${folder}/projects/p/s.jsonl`, `{"type":"user","name":"long","text":"${'x'.repeat(20_000_000)}`);
  await own.settled(); // the line is not whole yet
  appendFileSync(`${folder}/projects/p/s.jsonl`, `${'x'.repeat(20_000_000)}"}\n`);
  write('next');
  await own.settled();
  own.close();
  expect(names(log)).toEqual(['long', 'next']);
  expect(Math.max(...log.map(({ length }) => length))).toBeLessThan(2_000_000);
});

test('[CHAN-3, CHAN-40] lines that a full disk refused are recorded once it has room again', async () => {
  const log = [hook(`${folder}/projects/p/s.jsonl`)];
  let isFull = true;
  const own = new ClaudeRecorder((line) => {
    if (isFull) return Promise.reject(new Error('ENOSPC'));
    log.push(line);
    return Promise.resolve();
  });
  own.learn(log[0]!);
  write('one');
  write('two');
  await own.settled();
  isFull = false;
  await own.settled();
  own.close();
  expect(names(log)).toEqual(['one', 'two']);
});

test('[CHAN-3] a session with ever new transcripts has a limited number of them copied', async () => {
  const log: string[] = [];
  for (let i = 0; i < 1010; i++) {
    const path = `${folder}/projects/p/${i}.jsonl`;
    if (i >= 995) writeFileSync(path, `{"type":"user","name":"${i}"}\n`);
    log.push(JSON.stringify({ hook: 'x', input: { session_id: String(i), transcript_path: path } }));
  }
  const own = recorder(log);
  await own.settled();
  own.close();
  expect(names(log)).toEqual(['995', '996', '997', '998', '999']);
});
