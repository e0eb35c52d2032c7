/**
 * Answers the question of a session as a careful user would: looks at the screen before each key, and presses it only if the same
 * question is on the screen and the key chooses the wanted answer. Enter is never pressed blindly: in a menu it is pressed once
 * the screen shows that the wanted answer is selected. If two clients answer at once, the first one presses the key, and the
 * other is refused. Keeps ASK-1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Question, type Requests, SpoolError } from '@spool/protocol';
import type { AskedQuestion, ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { type ReadinessCheck, typeWhenSeen } from './careful-typing.ts';

type AnswerRequest = Requests['answer']['ask'];
type AnswerReply = Requests['answer']['answer'];
type Option = AskedQuestion['options'][number];

interface KeyPress {
  /** The keys that were needed; empty if no further key follows. */
  readonly keys: readonly string[];
  /** The end of the log before the key was pressed. */
  readonly from: number;
  readonly written: Promise<void>;
}

/** The limit of keys; every menu is shorter. */
const KEYS_MAX = 40;
const CONFIRM_MS = 3000;
/** The keys that move the selection of a menu. After such a key, the screen shows which keys are still needed. */
const MOVES: ReadonlySet<string> = new Set(['Up', 'Down', 'Left', 'Right', 'Tab', 'BTab']);

/** The sessions with an answer on its way: until the program has reacted, its screen would invite a second answer. */
const answering = new WeakSet<KeeperSession>();

export async function answerQuestion(session: KeeperSession, ask: AnswerRequest, who: string): Promise<AnswerReply> {
  if (answering.has(session)) throw new SpoolError('QUESTION_CHANGED', { session: session.name });
  answering.add(session);
  try {
    return await pressAnswer(session, ask, who);
  } finally {
    answering.delete(session);
  }
}

async function pressAnswer(session: KeeperSession, ask: AnswerRequest, who: string): Promise<AnswerReply> {
  let last: string | null = null;
  for (let pressed = 0; pressed < KEYS_MAX; pressed++) {
    const { keys, from, written }: KeyPress = await typeWhenSeen(session, judge(last), press);
    await written;
    if (keys.length === 0) return { isConfirmed: await isGone(session, ask), offset: from, session: session.info };
    last = keys.join(' ');
  }
  throw new SpoolError('ANSWER_UNKNOWN', { session: session.name, reason: 'the selection does not reach it' });

  /**
   * Decides whether the next key may be pressed. `before`: the keys that were needed at the last look, before one of them was
   * pressed.
   */
  function judge(before: string | null): ReadinessCheck {
    return (look) => {
      if (look.isUnsettled) return 'again';
      const option = optionIn(session, ask, look);
      // Returns null while the question is still being drawn. The same keys are needed: the program has not reacted to the previous
      // key.
      return option === null || keysOf(option).join(' ') === before ? 'again' : 'type';
    };
  }

  /** Presses the next key. */
  function press(look: ScreenReport): KeyPress {
    const option = optionIn(session, ask, look)!;
    const keys = keysOf(option);
    const from = session.info.offset;
    const isMove = keys.length > 1 && MOVES.has(keys[0]!);
    const bytes = option.keys!.slice(0, isMove ? 1 : undefined).map((key) => key.bytes);
    // A letter and Enter belong together where a line is read, because the screen would not change in between.
    if (keys.length > 1 && !isMove && !session.input.readsByLine)
      throw new SpoolError('ANSWER_UNKNOWN', { session: session.name, reason: 'it takes several keys' });
    return { keys: isMove ? keys : [], from, written: session.input.write(Buffer.concat(bytes), who) };
  }
}

/** Throws if the session shows another question. Returns null if the question cannot be read yet. */
function optionIn(
  { name }: KeeperSession,
  { question, option }: AnswerRequest,
  { asks, question: shown }: ScreenReport,
): Option | null {
  if (asks !== null && shown === null) return null;
  const found = asks === null ? undefined : shown!.options.find(({ label }) => label === option);
  if (!found || !isSame(shown!, question)) throw new SpoolError('QUESTION_CHANGED', { session: name });
  if (found.keys === null) throw new SpoolError('ANSWER_UNKNOWN', { session: name });
  return found;
}

const keysOf = ({ keys }: Option): readonly string[] => keys!.map(({ name }) => name);

function isSame(one: Pick<Question, 'text' | 'subject'>, other: Pick<Question, 'text' | 'subject'>): boolean {
  return one.text === other.text && one.subject === other.subject;
}

/** Returns whether the question has left the screen in time. */
async function isGone(session: KeeperSession, { question, confirmMs = CONFIRM_MS }: AnswerRequest): Promise<boolean> {
  const deadline = performance.now() + confirmMs;
  for (;;) {
    const looked = session.nextLook();
    const { status } = session;
    if (!session.isRunning || status.state !== 'blocked') return true;
    if (status.question && !isSame(status.question, question)) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    const over = new AbortController();
    await Promise.race([looked, sleep(left, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }
}
