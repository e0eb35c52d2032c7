/** Thousands of generated lines: every allowed line is harmless by another reading. `SPOOL_POLICY_LINES` sets how many. */
import { expect, test } from 'vitest';
import { readLiteralLine } from './literal-line.ts';
import { decidePermission } from './request.ts';
import { fakeFiles } from './testing/fake-files.ts';
import { EVERYTHING_KNOWN, LineMaker } from './testing/generated-lines.ts';
import { HOSTILE } from './testing/hostile-lines.ts';
import { objection } from './testing/oracle.ts';
import { OPTION_LINES, REPRODUCED } from './testing/option-lines.ts';

/** The number of lines: 10,000 with `npm test`; the quick gate takes a tenth (`SPOOL_TEST_ROUNDS` in percent). */
const LINES = Number(process.env['SPOOL_POLICY_LINES'] ?? 100 * Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100));
const SEED = Number(process.env['SPOOL_POLICY_SEED'] ?? 19);

const isAllowed = (command: string): boolean =>
  decidePermission(EVERYTHING_KNOWN, { tool: 'Bash', input: { command }, cwd: '/project' }, fakeFiles()).decision ===
  'allow';

test(`[POL-2] of ${LINES} generated lines, whatever is allowed is harmless by a reading of its own`, () => {
  const maker = new LineMaker(SEED);
  let allowed = 0;
  const programs = new Set<string>();
  for (let left = LINES; left > 0; left--) {
    const line = maker.next();
    if (!isAllowed(line)) continue;
    allowed++;
    programs.add(line.split(' ')[0]!);
    expect([line, objection(line)]).toEqual([line, undefined]);
  }
  // Otherwise the test would prove nothing.
  expect(allowed).toBeGreaterThan(LINES / 5);
  expect(programs.size).toBeGreaterThan(LINES >= 1000 ? 30 : 5);
});

test('the second opinion objects to what must never be allowed', () => {
  const missed = [...HOSTILE, ...OPTION_LINES, ...REPRODUCED].filter((line) => objection(line) === undefined);
  // Options that only the policy's grammar knows to be missing; each is refused there.
  expect(missed.length).toBeLessThan(60);
});

test('[POL-2] text in quotes arrives as it is, and nothing else is a word', () => {
  const words = (line: string): unknown => {
    const read = readLiteralLine(line);
    return 'commands' in read ? read.commands.map((command) => command.words) : read;
  };
  expect(words(`a 'b c'"d e"f | g "" && h --x='y z' || i; j HEAD~2`)).toEqual([
    ['a', 'b cd ef'],
    ['g', ''],
    ['h', '--x=y z'],
    ['i'],
    ['j', 'HEAD~2'],
  ]);
  expect(words('a'.repeat(5000))).toEqual({ doubt: 'is too long' });
});
