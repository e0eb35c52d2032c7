import { expect, test } from 'vitest';
import { exportPlan, type FormatFlags } from './export-format.ts';

const plan = (flags: Partial<FormatFlags>): string => {
  const { format, isCompressed } = exportPlan({ asciicast: false, html: false, text: false, ...flags });
  return isCompressed ? `${format} gz` : format;
};

test.each([
  [{ output: 'a/build.cast' }, 'asciicast'],
  [{ output: 'build.cast.gz' }, 'asciicast gz'],
  [{ output: 'page.HTML' }, 'html'],
  [{ output: 'build.2026.txt' }, 'text'],
  [{ output: 'build.log.gz' }, 'text gz'],
  [{ output: 'build.txt', asciicast: true }, 'asciicast'],
  [{ output: 'build.cast', format: 'asciicast-v3' }, 'asciicast-v3'],
  [{ format: 'asciicast-v2' }, 'asciicast'],
  [{ html: true }, 'html'],
  [{ text: true, format: 'text' }, 'text'],
])('[PAST-40] %j is %s', (flags, words) => expect(plan(flags)).toBe(words));

test.each([
  [{}, 'choose a format'],
  [{ output: 'build' }, 'choose a format'],
  [{ output: 'build.constructor' }, 'choose a format'],
  [{ html: true, text: true }, 'choose one format'],
  [{ format: 'pdf' }, '--format "pdf" is invalid'],
])('[PAST-40] %j is refused', (flags, words) => expect(() => plan(flags)).toThrow(words));
