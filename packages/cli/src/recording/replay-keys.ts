/** The keys of a replay. */

export type ReplayKey =
  | { readonly do: 'quit' | 'pause' | 'faster' | 'slower' | 'skip' | 'next' | 'previous' | 'help' }
  | { readonly do: 'seek'; readonly byMs: number }
  | { readonly do: 'place'; /** The place as a number from 0 to 1. */ readonly part: number }
  | { readonly do: 'pan'; readonly key: 'up' | 'down' | 'left' | 'right' };

const STEP_MS = 5000;
const PAGE_MS = 60_000;

const seek = (byMs: number): ReplayKey => ({ do: 'seek', byMs });

const ESCAPES: Readonly<Record<string, ReplayKey>> = {
  C: seek(STEP_MS),
  D: seek(-STEP_MS),
  A: seek(PAGE_MS),
  B: seek(-PAGE_MS),
  '1;2C': seek(PAGE_MS),
  '1;2D': seek(-PAGE_MS),
  '5~': seek(-PAGE_MS),
  '6~': seek(PAGE_MS),
  H: { do: 'place', part: 0 },
  '1~': { do: 'place', part: 0 },
  F: { do: 'place', part: 1 },
  '4~': { do: 'place', part: 1 },
};

const KEYS: Readonly<Record<string, ReplayKey>> = {
  q: { do: 'quit' },
  Q: { do: 'quit' },
  '\x03': { do: 'quit' },
  '\x1c': { do: 'quit' },
  ' ': { do: 'pause' },
  '+': { do: 'faster' },
  '=': { do: 'faster' },
  '-': { do: 'slower' },
  _: { do: 'slower' },
  s: { do: 'skip' },
  n: { do: 'next' },
  p: { do: 'previous' },
  '?': { do: 'help' },
  h: { do: 'pan', key: 'left' },
  j: { do: 'pan', key: 'down' },
  k: { do: 'pan', key: 'up' },
  l: { do: 'pan', key: 'right' },
};

/** Returns the keys in the typed bytes, several in one read included. Other keys are ignored. */
export function replayKeys(bytes: Uint8Array): readonly ReplayKey[] {
  const text = Buffer.from(bytes).toString('latin1');
  const found: ReplayKey[] = [];
  for (const [whole, escape] of text.matchAll(/\x1b(?:\[|O)([\d;]*[A-Za-z~])|[\s\S]/g)) {
    const key = escape === undefined ? (KEYS[whole] ?? digit(whole)) : ESCAPES[escape];
    if (key) found.push(key);
  }
  return found;
}

const digit = (key: string): ReplayKey | undefined =>
  /^\d$/.test(key) ? { do: 'place', part: Number(key) / 10 } : undefined;
