import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { MilestoneReader } from '@spool/status/milestones';
import { BUILT_IN_RULES } from '@spool/status';
import { expect, onTestFinished, test } from 'vitest';
import { checkRuleFiles, RuleFiles } from './rule-files.ts';

function configFolder(): string {
  const config = mkdtempSync(`${tmpdir()}/spool-rules-`);
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  mkdirSync(`${config}/rules`);
  mkdirSync(`${config}/milestones`);
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
    'folder.json cannot be used: it is not a regular file',
    'pipe.json cannot be used: it is not a regular file',
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

test('[STATE-3] [TASK-5] the examples in docs/state.md are read, and mean what is said there', () => {
  const page = readFileSync(new URL('../../../../../docs/state.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/`~\/\.config\/spool\/(\S+\.json)`:\n\n```json\n(.*?)```/gs)];
  const config = configFolder();
  for (const [, name, text] of examples) writeFileSync(`${config}/${name}`, text!);
  expect(examples.map(([, name]) => name)).toEqual(['rules/aider.json', 'milestones/deploy.json']);
  expect(checkRuleFiles(config)).toEqual({ rules: 1, milestones: 1, faults: [] });

  const files = new RuleFiles(config, () => {});
  files.refresh();
  expect(files.rules[0]?.agent).toBe('aider');
  const reader = new MilestoneReader(files.catalogue);
  const lines = [
    'deploying to production',
    'uploaded 40%',
    'db-1 is healthy',
    'db-1 is healthy',
    'live at https://x.org/',
  ];
  expect(lines.flatMap((line, at) => reader.line(line, at)).map(({ title }) => title)).toEqual([
    'uploaded 40 %',
    'db-1 is healthy',
    'live at https://x.org/',
  ]);
});

test('[STATE-3] [TASK-5] what is wrong with a file is a sentence that names it', () => {
  const config = configFolder();
  writeFileSync(`${config}/rules/half.json`, '{ "agent": ');
  writeFileSync(`${config}/rules/odd.json`, '{ "agent": "x", "rules": [{ "name": "asks", "says": "perhaps" }] }');
  writeFileSync(`${config}/milestones/odd.json`, '{ "tool": "x", "milestones": [{ "name": "done" }] }');
  const { faults, ...counts } = checkRuleFiles(config);
  expect(counts).toEqual({ rules: 2, milestones: 1 });
  expect(faults.map((fault) => fault.replace(config, ''))).toEqual([
    '/milestones/odd.json: milestone 1 (done): "title" must be text of at most 200 characters',
    expect.stringMatching(/^\/rules\/half\.json: is not JSON/),
    '/rules/odd.json: "asks": "says" must be working, blocked or idle, not "perhaps"',
  ]);
});
