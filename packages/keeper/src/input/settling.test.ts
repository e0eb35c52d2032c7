import { expect, test, vi } from 'vitest';
import { REST_MS, settled, type SettlingSession } from './settling.ts';

/** The resolution of timers, which is coarser than that of the clock that is read here. */
const TICK_MS = 2;

/** Creates an agent that shows the pasted text at the nth look, and records the time. */
function agent({ showsAt }: { showsAt: number }): SettlingSession & { readonly shown: number[] } {
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
      return Promise.resolve({
        agent: 'gemini',
        asks: null,
        hasInputRules: true,
        input: { text, rows: null, clear: [] },
      });
    },
  };
}

test.each([1, 3])(
  '[IN-40] Enter comes a rest after the paste is seen in the input line, also when look %i is the first to show it',
  async (showsAt) => {
    const session = agent({ showsAt });
    await settled(session, 'please say two', true);
    expect(performance.now() - session.shown[0]!).toBeGreaterThanOrEqual(REST_MS - TICK_MS);
    expect(REST_MS).toBeGreaterThan(40);
  },
);

const SEEN = { agent: 'gemini', asks: null, hasInputRules: true, input: { text: 'please', rows: null, clear: [] } };

test('[IN-47] a text that the input line never shows, or that a dialog covers, is reported as unseen', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const empty = { ...SEEN, input: { ...SEEN.input, text: '' } };
    const slow = { ...agent({ showsAt: 1 }), look: () => (vi.advanceTimersByTime(2500), Promise.resolve(empty)) };
    expect(await settled(slow, 'please say two', true)).toEqual({ place: 'unseen' });
    const asking = { ...agent({ showsAt: 1 }), look: () => Promise.resolve({ ...SEEN, asks: 'Trust it?' }) };
    expect(await settled(asking, 'please say two', true)).toEqual({ place: 'unseen' });
  } finally {
    vi.useRealTimers();
  }
});
