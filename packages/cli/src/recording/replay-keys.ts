/** The keys of a replay. */
import { type KeyName, KeyReader } from '../tui/key-reader.ts';

export type ReplayKey =
  | { readonly do: 'quit' | 'pause' | 'faster' | 'slower' | 'skip' | 'next' | 'previous' | 'help' }
  | { readonly do: 'seek'; readonly byMs: number }
  | { readonly do: 'place'; /** The place, as a number from 0 to 1. */ readonly part: number }
  | { readonly do: 'pan'; readonly key: 'up' | 'down' | 'left' | 'right' };

const STEP_MS = 5000;
const PAGE_MS = 60_000;

const seek = (byMs: number): ReplayKey => ({ do: 'seek', byMs });

const NAMED: Partial<Readonly<Record<KeyName, ReplayKey>>> = {
  right: seek(STEP_MS),
  left: seek(-STEP_MS),
  up: seek(PAGE_MS),
  down: seek(-PAGE_MS),
  'page-up': seek(-PAGE_MS),
  'page-down': seek(PAGE_MS),
  home: { do: 'place', part: 0 },
  end: { do: 'place', part: 1 },
  interrupt: { do: 'quit' },
};

const LETTERS: Readonly<Record<string, ReplayKey>> = {
  q: { do: 'quit' },
  Q: { do: 'quit' },
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

/** Shift with an arrow, and the key that detaches from a session. */
const OTHER_NAMES = { controls: { '\x1c': 'interrupt' }, escapes: { '1;2C': 'up', '1;2D': 'down' } } as const;

/** Reads the keys of a replay. Other keys are ignored. */
export class ReplayKeys {
  readonly #keys = new KeyReader(OTHER_NAMES);

  /** Returns the keys in the typed bytes, several in one read included. */
  keysIn(bytes: Uint8Array): readonly ReplayKey[] {
    return this.#keys
      .keysIn(bytes)
      .flatMap((key) => (key.type === 'key' ? NAMED[key.name] : (LETTERS[key.text] ?? digit(key.text))) ?? []);
  }
}

const digit = (key: string): ReplayKey | undefined =>
  /^\d$/.test(key) ? { do: 'place', part: Number(key) / 10 } : undefined;
