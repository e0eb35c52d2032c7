import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { KEEP_DEFAULT, type KeepCheck, readKeepEnded } from './keep-config.ts';

function told(keepEnded: unknown): KeepCheck {
  const folder = mkdtempSync(`${tmpdir()}/spool-keep-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/config.json`, JSON.stringify({ keepEnded }));
  return readKeepEnded(`${folder}/config.json`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

test('[LOG-8] ended sessions are kept for thirty days unless config.json says otherwise', () => {
  expect(KEEP_DEFAULT).toEqual({ ageMs: 30 * DAY_MS, count: null });
  expect(told(undefined)).toEqual({ keep: KEEP_DEFAULT, fault: null });
  expect(told({})).toEqual({ keep: KEEP_DEFAULT, fault: null });
  expect(told({ age: '12h' }).keep).toEqual({ ageMs: DAY_MS / 2, count: null });
  expect(told({ age: '8w', count: 1000 }).keep).toEqual({ ageMs: 56 * DAY_MS, count: 1000 });
  expect(told({ age: null, count: 0 }).keep).toEqual({ ageMs: null, count: 0 });
});

test('[LOG-8] a setting that cannot be understood keeps everything, and says what is wrong', () => {
  const everything = { ageMs: null, count: null };
  for (const [value, word] of [
    ['30d', 'object'],
    [null, 'object'],
    [[], 'object'],
    [{ age: 30 }, 'keepEnded.age'],
    [{ age: '30' }, 'keepEnded.age'],
    [{ age: '-1d' }, 'keepEnded.age'],
    [{ age: '30 days' }, 'keepEnded.age'],
    [{ count: -1 }, 'keepEnded.count'],
    [{ count: '10' }, 'keepEnded.count'],
    [{ count: 1.5 }, 'keepEnded.count'],
    [{ agge: '1d' }, 'keepEnded.agge'],
  ] as const) {
    const { keep, fault } = told(value);
    expect([value, keep]).toEqual([value, everything]);
    expect(fault).toContain(word);
    expect(fault).toContain('no ended session is removed');
  }
});

test('[LOG-8] a file that is not there is the default; one that cannot be read keeps everything', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-keep-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(readKeepEnded(`${folder}/config.json`)).toEqual({ keep: KEEP_DEFAULT, fault: null });
  writeFileSync(`${folder}/config.json`, '{ "keepEnded": { "count": 5 }, "notify": {} }');
  expect(readKeepEnded(`${folder}/config.json`).keep).toEqual({ ...KEEP_DEFAULT, count: 5 });
  writeFileSync(`${folder}/config.json`, '{ "keepEnded": ');
  expect(readKeepEnded(`${folder}/config.json`)).toMatchObject({
    keep: { ageMs: null },
    fault: expect.stringContaining('not JSON'),
  });
  mkdirSync(`${folder}/folder.json`);
  expect(readKeepEnded(`${folder}/folder.json`)).toMatchObject({
    keep: { ageMs: null },
    fault: expect.stringContaining('not a file'),
  });
});
