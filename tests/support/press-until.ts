/** A key for a request in `attach`. For half a second after a request has appeared, keys are text (SHOW-5): it is pressed again. */
import { type Terminal, until } from '@spool/testkit';

/** A little more than that half second: usually the first press counts. */
const FIRST_MS = 700;
const EACH_MS = 15_000;
const PRESSES_MAX = 5;
const BACKSPACE = '\x7f';

export async function pressUntil(terminal: Terminal, key: string, isDone: () => boolean): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, FIRST_MS));
  for (let press = 1; ; press++) {
    terminal.type(key);
    try {
      return await until(`${key} is taken`, isDone, EACH_MS);
    } catch (error) {
      if (press === PRESSES_MAX) throw error;
    }
    terminal.type(BACKSPACE); // it was text
  }
}
