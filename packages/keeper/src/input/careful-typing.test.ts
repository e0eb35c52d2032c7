/** What must hold between a look at the screen and the input that follows, with a scripted session. */
import { expect, test, vi } from 'vitest';
import { typeWhenSeen } from './careful-typing.ts';
import type { Look } from '../screens/messages.ts';
import type { Session } from '../session/session.ts';

const LOOK: Look = {
  offset: 100,
  isExact: true,
  state: 'idle',
  kind: 'prompt',
  agent: 'shell',
  source: 'shell',
  isAlternate: false,
  asks: null,
  question: null,
  isUnsettled: false,
  bracketedPaste: false,
  input: null,
  lines: ['$'],
  cursorRow: 0,
};

/** A session that shows these looks one after the other and repeats the last; `end` is the end of its log at that time. */
function fakeSession(looks: readonly (Partial<Look> & { readonly end?: number })[]): {
  session: Session;
  looked: () => number;
} {
  let at = -1;
  const now = (): Look & { end: number } => {
    const look = { ...LOOK, ...looks[Math.min(at, looks.length - 1)] };
    return { ...look, end: look.end ?? look.offset };
  };
  const session = {
    name: 'fake',
    isRunning: true,
    trouble: null,
    look: () => (at++, Promise.resolve(now())),
    isSeenTo: (offset: number) => now().end === offset,
    get log() {
      return { end: now().end };
    },
  };
  return { session: session as unknown as Session, looked: () => at + 1 };
}

const judge = ({ asks, isUnsettled }: Look): 'type' | 'again' => {
  if (isUnsettled) return 'again';
  if (asks !== null) throw new Error(asks);
  return 'type';
};

test('[IN-7] what was written after the look is looked at before anything is typed', async () => {
  const { session, looked } = fakeSession([{ offset: 100, end: 120 }, { offset: 120, end: 121 }, { offset: 121 }]);
  expect(await typeWhenSeen(session, judge, ({ offset }) => offset)).toBe(121);
  expect(looked()).toBe(3);
});

test('[IN-7] a dialog in what was written after the look: nothing is typed', async () => {
  const { session } = fakeSession([
    { offset: 100, end: 120 },
    { offset: 120, asks: 'Sure?' },
  ]);
  const type = vi.fn();
  await expect(typeWhenSeen(session, judge, type)).rejects.toThrow('Sure?');
  expect(type).not.toHaveBeenCalled();
});

test('[IN-7] what is not settled, or not exact, is looked at again', async () => {
  const { session, looked } = fakeSession([{ isUnsettled: true, asks: 'gone' }, { isExact: false }, {}]);
  expect(await typeWhenSeen(session, judge, () => 'typed')).toBe('typed');
  expect(looked()).toBe(3);
});

test('[IN-7] without a look of the present in time, nothing is typed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { session } = fakeSession([{ offset: 100, end: 120 }]);
    const type = vi.fn();
    const typed = typeWhenSeen(session, (look) => (vi.advanceTimersByTime(1000), judge(look)), type);
    await expect(typed).rejects.toMatchObject({ code: 'STATE_UNKNOWN', details: { session: 'fake' } });
    expect(type).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
