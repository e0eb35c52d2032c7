/** Tests the rules between a look at the screen and the input that follows, with a scripted session. */
import { expect, test, vi } from 'vitest';
import { typeWhenSeen } from './careful-typing.ts';
import { awaitReady } from './readiness.ts';
import type { ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from '../sessions/session.ts';

const LOOK: ScreenReport = {
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
  hasInputRules: false,
  input: null,
  lines: ['$'],
  cursorRow: 0,
};

/**
 * Creates a session that shows these looks one after the other and repeats the last; `end` is the end of its log at that time.
 */
function fakeSession(looks: readonly (Partial<ScreenReport> & { readonly end?: number })[]): {
  session: KeeperSession;
  looked: () => number;
} {
  let at = -1;
  const now = (): ScreenReport & { end: number } => {
    const look = { ...LOOK, ...looks[Math.min(at, looks.length - 1)] };
    return { ...look, end: look.end ?? look.offset };
  };
  const session = {
    name: 'fake',
    isRunning: true,
    file: { trouble: null },
    input: { readsByLine: false },
    look: () => (at++, Promise.resolve(now())),
    isSeenTo: (offset: number) => now().end === offset,
    get log() {
      return { end: now().end };
    },
  };
  return { session: session as unknown as KeeperSession, looked: () => at + 1 };
}

const judge = ({ asks, isUnsettled }: ScreenReport): 'type' | 'again' => {
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

const AGENT: Partial<ScreenReport> = { hasInputRules: true, agent: 'claude' };
const STARTING: Partial<ScreenReport> = { ...AGENT, state: 'starting', source: 'process', kind: null };
const LINE = { text: '', rows: { top: 1, bottom: 3 }, clear: [] };
const READY: Partial<ScreenReport> = { ...AGENT, state: 'idle', source: 'screen', kind: 'prompt', input: LINE };

test('[IN-21] while an agent starts, nothing is typed; with its first empty input line it is', async () => {
  const { session, looked } = fakeSession([STARTING, { ...READY, input: null, kind: null }, READY]);
  expect(await typeWhenSeen(session, awaitReady(session, judge, judge), () => 'typed')).toBe('typed');
  expect(looked()).toBe(3);
});

test('[IN-21] an agent that is not ready in time, or shows a dialog, gets nothing', async () => {
  const type = vi.fn();
  const late = fakeSession([STARTING]).session;
  await expect(typeWhenSeen(late, awaitReady(late, judge, judge), type, { readyMs: 0 })).rejects.toMatchObject({
    code: 'AGENT_NOT_READY',
    details: { session: 'fake' },
  });
  const asking = fakeSession([STARTING, { ...STARTING, state: 'blocked', asks: 'Do you trust this folder?' }]).session;
  await expect(typeWhenSeen(asking, awaitReady(asking, judge, judge), type)).rejects.toThrow(
    'Do you trust this folder?',
  );
  expect(type).not.toHaveBeenCalled();
});
