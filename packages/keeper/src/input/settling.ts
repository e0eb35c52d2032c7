/**
 * The pause between the paste of a prompt and its Enter. Keeps IN-4.
 *
 * Gemini makes a newline of an Enter that comes within 40 ms of a paste, counted from when it has read the paste, which may
 * be long after it was typed. So the pause is counted from when the paste is seen in the input line.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Look } from '../screens/messages.ts';

/** Until the paste is read and the screen has come to rest, within these bounds. */
const SETTLE_MS_MIN = 60;
const SETTLE_MS_MAX = 600;
/** Where the input line of an agent is known: until it contains the text. */
const SHOWN_MS_MAX = 2000;
const LOOK_AGAIN_MS = 50;
/** From the first look that shows the paste to Enter: Gemini's 40 ms, and time for a busy machine to let it count them. */
export const REST_MS = 150;

type Seen = Pick<Look, 'agent' | 'asks' | 'input'>;

interface Watched {
  nextLook(): Promise<void>;
}

/** What of a session is looked at. */
export interface Settling extends Watched {
  readonly isRunning: boolean;
  readonly lookedTo: number;
  readonly info: { readonly offset: number };
  readonly input: { readonly unreadBytes: number };
  look(options: { readonly mustReach: boolean }): Promise<Seen>;
}

/**
 * Waits until the paste has been read and the screen stands still; where an agent's input line is known, until it
 * contains the text, and then a rest. The wait is bounded: some programs show nothing of it, or something else.
 */
export async function settled(session: Settling, tail: string): Promise<void> {
  await sleep(SETTLE_MS_MIN);
  const from = session.lookedTo;
  await until(session, SETTLE_MS_MAX - SETTLE_MS_MIN, () =>
    Promise.resolve(
      session.input.unreadBytes === 0 && (session.lookedTo > from || session.lookedTo >= session.info.offset)
        ? true
        : null,
    ),
  );
  const deadline = performance.now() + SHOWN_MS_MAX;
  for (;;) {
    const look = session.isRunning ? await session.look({ mustReach: false }).catch(() => null) : null;
    if (look === null || !isAgent(look)) return;
    if (tail === '' || !isExpected(look) || performance.now() >= deadline) break;
    await sleep(LOOK_AGAIN_MS);
  }
  await sleep(REST_MS);
}

/** Resolves with the first result of `check`; null when the time is over. */
export async function until<T>(session: Watched, ms: number, check: () => Promise<T | null>): Promise<T | null> {
  const deadline = performance.now() + ms;
  for (;;) {
    const looked = session.nextLook();
    const found = await check();
    const left = deadline - performance.now();
    if (found !== null || left <= 0) return found;
    const over = new AbortController();
    await Promise.race([looked, sleep(left, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }
}

/** A shell need not show what it reads, and takes Enter at any time. */
function isAgent({ agent }: Seen): boolean {
  return agent !== null && agent !== 'shell';
}

/** The text has yet to appear: the input line is known, and is empty. */
function isExpected({ asks, input }: Seen): boolean {
  return asks === null && input?.text === '';
}
