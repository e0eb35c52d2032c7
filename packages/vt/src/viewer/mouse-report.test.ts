import { expect, test } from 'vitest';
import { encodeMouse, mouseReportOf } from './mouse-report.ts';

const token = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const report = { button: 0, col: 9, row: 4, isRelease: false };

test.each([
  ['\x1b[<0;10;5M', report],
  ['\x1b[<65;10;5m', { ...report, button: 65, isRelease: true }],
  ['\x1b[32;10;5M', 'unreadable'],
  ['\x1b[M', 'three-bytes-follow'],
  ['\x1b[A', undefined],
  ['\x1b[1;5A', undefined],
  ['M', undefined],
  ['\x1b[<0;10M', undefined],
])('%j is read as %o', (text, expected) => expect(mouseReportOf(token(text))).toEqual(expected));

test.each([
  [report, [1006], '\x1b[<0;10;5M'],
  [{ ...report, isRelease: true }, [1006], '\x1b[<0;10;5m'],
  [report, [1006, 1015], '\x1b[32;10;5M'],
  [{ ...report, isRelease: true }, [1015], '\x1b[35;10;5M'],
  [report, [], '\x1b[M *%'],
  [{ ...report, col: 223 }, [], undefined],
  [report, [1016], undefined],
  [report, [1005], undefined],
] as const)('%o for a program that asked for %o is %j', (what, encodings, expected) => {
  const bytes = encodeMouse(what, encodings);
  expect(bytes && Buffer.from(bytes).toString('latin1')).toBe(expected);
});
