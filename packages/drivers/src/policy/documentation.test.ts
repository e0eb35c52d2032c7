/** The page about policies says what the policy does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { programsWithGrammar } from './grammar/command-grammar.ts';
import type { PolicyRule } from './policy.ts';
import { decidePermission } from './request.ts';
import { fakeFiles } from './testing/fake-files.ts';

const PAGE = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8');

test('[POL-5] every example of the page is decided as the page says', () => {
  const named = /With the rules (.*?):\n/s.exec(PAGE)![1]!.matchAll(/`([^`]+)`/g);
  const rules = [...named].map(([, command]): PolicyRule => ({ decision: 'allow', tool: 'Bash', command: command! }));
  const rows = [...PAGE.matchAll(/^\| `(.+?)` \| (allow|ask) \|/gm)].map(([, line, decision]) => [
    line!.replaceAll('\\|', '|'),
    decision!,
  ]);
  expect(rows.length).toBeGreaterThan(15);
  const decided = rows.map(([command]) => [
    command,
    decidePermission({ rules }, { tool: 'Bash', input: { command }, cwd: '/p' }, fakeFiles()).decision,
  ]);
  expect(decided).toEqual(rows);
});

test('[POL-5] the page lists every program with a grammar', () => {
  const list = /<!-- programs -->(.*?)<!-- end -->/s.exec(PAGE)![1]!;
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name!.replace(/\s+/, ' '))).toEqual(programsWithGrammar());
});
