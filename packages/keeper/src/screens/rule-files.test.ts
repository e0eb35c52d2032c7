import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { BUILT_IN_RULES } from '@spool/core/status';
import { expect, onTestFinished, test } from 'vitest';
import { RuleFiles } from './rule-files.ts';

function configFolder(): string {
  const config = mkdtempSync(`${tmpdir()}/spool-rules-`);
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  mkdirSync(`${config}/rules`);
  return config;
}

const rules = (agent: string): string =>
  JSON.stringify({ agent, rules: [{ id: 'asks', region: 'screen', state: 'blocked', when: { contains: 'sure?' } }] });

test('[STATE-3] what is no regular file is complained of, not waited for; hidden files are left alone', () => {
  const config = configFolder();
  execFileSync('mkfifo', [`${config}/rules/pipe.json`]);
  mkdirSync(`${config}/rules/folder.json`);
  writeFileSync(`${config}/rules/.swap.json`, 'half');
  const complaints: string[] = [];
  const files = new RuleFiles(config, (sentence) => complaints.push(sentence));
  files.refresh();
  expect(complaints.map((each) => each.replace(`${config}/rules/`, ''))).toEqual([
    'folder.json cannot be used: it is no regular file',
    'pipe.json cannot be used: it is no regular file',
  ]);
  expect(files.rules).toEqual(BUILT_IN_RULES);
});

test('[STATE-3] a link to nowhere does not hide a change of another file', () => {
  const config = configFolder();
  const mine = `${config}/rules/mine.json`;
  symlinkSync('nowhere', `${config}/rules/gone.json`);
  writeFileSync(mine, rules('first'));
  const files = new RuleFiles(config, () => {});
  files.refresh();
  expect(files.rules[0]?.agent).toBe('first');
  writeFileSync(mine, rules('second'));
  utimesSync(mine, new Date(), new Date(Date.now() + 10_000));
  files.refresh();
  expect(files.rules[0]?.agent).toBe('second');
});
