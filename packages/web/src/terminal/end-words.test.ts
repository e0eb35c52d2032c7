import { expect, test } from 'vitest';
import { endWords } from './end-words.ts';

const END = { state: 'exited', exitCode: 0, signal: null, endedBy: null } as const;

test.each([
  [END, 'Ended: exit code 0'],
  [{ ...END, state: 'failed', exitCode: 3 }, 'Failed: exit code 3'],
  [{ ...END, state: 'killed', exitCode: null, signal: 'SIGKILL' }, 'Ended by SIGKILL'],
  [{ ...END, state: 'lost', exitCode: null }, 'Lost: it ended while no daemon was watching'],
] as const)('[PAGE-64] the end %j reads %j', (end, words) => expect(endWords(end)).toBe(words));
