/**
 * Clears the input line of a session: presses the keys that do it there, again and again, until the screen shows that it is
 * empty. Ctrl-C and Esc would be shorter, but they also interrupt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Judge, typeWhenSeen } from './careful-typing.ts';
import { notEmpty } from './input-refusals.ts';
import type { Session } from './session.ts';

/** One round clears a row or so. */
const ROUNDS_MAX = 60;
/** That many rounds without any effect: these are not the keys. */
const VAIN_ROUNDS_MAX = 3;
/** Several keys in one read would be taken for a paste. */
const KEY_MS = 20;
/** After a round: until the program has drawn what is left. */
const DRAW_MS = 100;

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
    await sleep(DRAW_MS);
  }
  throw notEmpty(session, last, 'it could not be cleared');
}
