import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

test('[CHAN-3] a path that is no transcript is not read', async () => {
  writeFileSync(`${folder}/secret`, '{"type":"user","name":"one"}\n');
  const log = [hook(`${folder}/secret`), hook('relative/s.jsonl')];
  const own = recorder(log);
  await own.settled();
  own.close();
  expect(names(log)).toEqual([]);
});
