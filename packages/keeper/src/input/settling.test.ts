import { expect, test } from 'vitest';
import { REST_MS, settled, type Settling } from './settling.ts';

/** The clock of timers is coarser than the one that is read here. */
const TICK_MS = 2;

/** An agent that shows what was pasted at the nth look, and notes when. */
function agent({ showsAt }: { showsAt: number }): Settling & { readonly shown: number[] } {
  const shown: number[] = [];
  let looks = 0;
  return {
    shown,
    isRunning: true,
    lookedTo: 10,
    info: { offset: 10 },
    input: { unreadBytes: 0 },
    nextLook: () => new Promise(() => {}),
    look: () => {
      const text = ++looks >= showsAt ? 'please say two' : '';
      if (text !== '') shown.push(performance.now());
      return Promise.resolve({ agent: 'gemini', asks: null, input: { text, clear: [] } });
    },
  };
}

test.each([1, 3])(
  '[IN-4] Enter comes a rest after the paste is seen in the input line, also when look %i is the first to show it',
  async (showsAt) => {
    const session = agent({ showsAt });
    await settled(session, 'please say two');
    expect(performance.now() - session.shown[0]!).toBeGreaterThanOrEqual(REST_MS - TICK_MS);
    expect(REST_MS).toBeGreaterThan(40);
  },
);
