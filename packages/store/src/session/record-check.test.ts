import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { readRecord } from './record.ts';

const RECORD = {
  run: { id: 'abcdefghij', command: ['cat'], cwd: '/', env: {}, size: { cols: 80, rows: 24 }, labels: { a: 'b' } },
  name: 'cat',
  pid: 7,
  startedAt: 1,
  size: { cols: 80, rows: 24 },
  controlGroup: null,
  ending: { by: 'stop', askedAt: 1, killAt: 2 },
  end: { state: 'exited', exitCode: 0, signal: null, at: 2, by: null, offset: 3 },
};

function read(record: unknown, id = 'abcdefghij'): unknown {
  const place = mkdtempSync(`${tmpdir()}/record-check-`);
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(`${place}/${id}`);
  writeFileSync(`${place}/${id}/session.json`, typeof record === 'string' ? record : JSON.stringify(record));
  return readRecord(`${place}/${id}`);
}

test('a record is read as it was written, with what a later version added', () => {
  const more = { ...RECORD, identity: { bootId: 'x' }, controlGroup: '/g', typed: { who: 'cli 7', at: 3 } };
  expect(read(more)).toEqual(more);
  expect(read({ ...RECORD, end: null, ending: null, size: null })).not.toBeNull();
});

test.each([
  ['nothing', ''],
  ['half of it', '{"run":'],
  ['another thing', '[1]'],
  ['null', 'null'],
  ['a command that is a text', { ...RECORD, run: { ...RECORD.run, command: 'cat' } }],
  ['a command of numbers', { ...RECORD, run: { ...RECORD.run, command: [1] } }],
  ['a command without words', { ...RECORD, run: { ...RECORD.run, command: [] } }],
  ['no folder', { ...RECORD, run: { ...RECORD.run, cwd: null } }],
  ['a name that is a number', { ...RECORD, name: 7 }],
  ['a pid that is a text', { ...RECORD, pid: '7' }],
  ['a pid beyond all numbers', JSON.stringify(RECORD).replace('"pid":7', '"pid":1e999')],
  ['a control group that is a number', { ...RECORD, controlGroup: 7 }],
  ['somebody who typed, without a time', { ...RECORD, typed: { who: 'cli 7' } }],
  ['a time limit that is a text', { ...RECORD, run: { ...RECORD.run, timeoutMs: '5m' } }],
  ['a start that is a text', { ...RECORD, startedAt: 'now' }],
  ['a size that is a text', { ...RECORD, size: '80x24' }],
  ['labels that are a list', { ...RECORD, run: { ...RECORD.run, labels: ['a'] } }],
  ['an end that is a text', { ...RECORD, end: 'yes' }],
  ['an end in an unknown state', { ...RECORD, end: { ...RECORD.end, state: 'odd' } }],
  ['an end at no offset', { ...RECORD, end: { ...RECORD.end, offset: null } }],
  ['an ending that is a text', { ...RECORD, ending: 'soon' }],
])('[LIFE-9] %s is no record', (_what, record) => expect(read(record)).toBeNull());

test('[LIFE-9] a copy of another folder is no record: it would take the name and the log of that session', () => {
  expect(read(RECORD, 'zbcdefghij')).toBeNull();
});
