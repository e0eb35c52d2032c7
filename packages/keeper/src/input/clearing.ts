/**
 * Clears the input line of a session: presses the keys that do it there, again and again, until the screen shows that it is
 * empty. Ctrl-C and Esc would be shorter, but they also interrupt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Judge, typeWhenSeen } from './careful-typing.ts';
import { notEmpty } from './refusals.ts';
import type { Session } from '../session/session.ts';

/** One round clears a row or so. */
const ROUNDS_MAX = 60;
/** That many rounds without any effect: these are not the keys. */
const VAIN_ROUNDS_MAX = 2;
/** Several keys in one read would be taken for a paste. */
const KEY_MS = 20;
/** After a round: until the program has drawn what is left. OpenCode on a busy machine takes a second. */
const DRAW_MS_MAX = 2000;
const LOOK_AGAIN_MS = 50;

export async function clearInput(session: Session, judge: Judge, who: string): Promise<void> {
  let last = '';
  let vain = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const input = await typeWhenSeen(session, judge, (look) => look.input);
    if (input === null || input.text === '') return;
    vain = input.text === last ? vain + 1 : 0;
    last = input.text;
    if (vain >= VAIN_ROUNDS_MAX || input.clear.length === 0) break;
    for (const key of input.clear) {
      // Each by itself: a dialog may come up between two of them.
      await typeWhenSeen(session, judge, () => session.write(key, who));
      await sleep(KEY_MS);
    }
    await changed(session, last);
  }
  throw notEmpty(session, last, 'it could not be cleared');
}

/** Resolves when something else stands there, or when it is time to press the keys once more. */
async function changed(session: Session, text: string): Promise<void> {
  const deadline = performance.now() + DRAW_MS_MAX;
  while (session.isRunning && performance.now() < deadline) {
    await sleep(LOOK_AGAIN_MS);
    const look = await session.look({ mustReach: false }).catch(() => null);
    if (look !== null && look.input?.text !== text) return;
  }
}
