/**
 * Clears the input line of a session: presses the keys that clear it, repeatedly, until the screen shows an empty line.
 * Ctrl-C and Esc would be shorter, but they also interrupt. Keeps the `--clear` part of IN-8.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadinessCheck, typeWhenSeen } from './careful-typing.ts';
import { notEmpty } from './refusals.ts';
import type { KeeperSession } from '../sessions/session.ts';

/** The maximum of rounds; one round clears about one row. */
const ROUNDS_MAX = 60;
/** The number of rounds without effect after which the keys count as wrong. */
const VAIN_ROUNDS_MAX = 2;
/** The pause between two keys: a program would take several keys in one read as a paste. */
const KEY_MS = 20;
/** The limit after each round for the program to redraw the line. OpenCode on a busy machine takes a second. */
const DRAW_MS_MAX = 2000;
const LOOK_AGAIN_MS = 50;

export async function clearInput(session: KeeperSession, judge: ReadinessCheck, who: string): Promise<void> {
  let last = '';
  let vain = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const input = await typeWhenSeen(session, judge, (look) => look.input);
    if (input === null || input.text === '') return;
    vain = input.text === last ? vain + 1 : 0;
    last = input.text;
    if (vain >= VAIN_ROUNDS_MAX || input.clear.length === 0) break;
    for (const key of input.clear) {
      // One key at a time: a dialog may appear between two of them.
      await typeWhenSeen(session, judge, () => session.input.write(key, who));
      await sleep(KEY_MS);
    }
    await changed(session, last);
  }
  throw notEmpty(session, last, 'it could not be cleared');
}

/** Resolves when the line shows another text, or when it is time to press the keys again. */
async function changed(session: KeeperSession, text: string): Promise<void> {
  const deadline = performance.now() + DRAW_MS_MAX;
  while (session.isRunning && performance.now() < deadline) {
    await sleep(LOOK_AGAIN_MS);
    const look = await session.look({ mustReach: false }).catch(() => null);
    if (look !== null && look.input?.text !== text) return;
  }
}
