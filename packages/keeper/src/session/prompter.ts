/**
 * Types prompts as a careful user would: a paste, a pause, Enter by itself, and then a check whether it was accepted. A
 * prompt sent in one write with its Enter is often pasted but not submitted; a prompt sent to a dialog answers it.
 * Keeps IN-4.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Prompted, type Requests, SpoolError } from '@spool/protocol';
import { paste } from '@spool/vt';
import { typeWhenSeen } from '../input/careful-typing.ts';
import { clearInput } from '../input/clearing.ts';
import { refuseDialogs, refuseFullScreen, refuseLeftOvers } from '../input/refusals.ts';
import { settled, until } from '../input/settling.ts';
import type { Look } from '../screens/messages.ts';
import type { Session } from './session.ts';
import { isTaken, type Place, placeOf, tailOf } from '../input/typed-place.ts';

const CONFIRM_MS = 3000;
/** By then the kernel has handed typed bytes to the child's side of the terminal. */
const UNREAD_MS = 40;
/** From an empty input line to the first sign of work, for a slow agent on a busy machine. */
const SHOW_MS = 3000;
const ENTER = Buffer.from('\r');

type Ask = Requests['prompt']['ask'];

type Shown = Pick<Look, 'state' | 'bracketedPaste' | 'lines' | 'cursorRow'>;

interface Pressed {
  /** The end of the log at that time. */
  readonly from: number;
  readonly before: Place;
  readonly wasWorking: boolean;
  readonly typed: Promise<unknown>;
}

export class Prompter {
  /** One prompt at a time in each session: two at once would be merged. */
  readonly #turns = new Map<Session, Promise<unknown>>();

  prompt(session: Session, ask: Ask, who: string): Promise<Prompted> {
    const before = this.#turns.get(session) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => this.#type(session, ask, who));
    this.#turns.set(session, turn);
    const forget = (): void => {
      if (this.#turns.get(session) === turn) this.#turns.delete(session);
    };
    turn.then(forget, forget);
    return turn;
  }

  async #type(session: Session, ask: Ask, who: string): Promise<Prompted> {
    const isTerminal = session.info.size !== null;
    const start = session.info.offset;
    const keys = ask.key === undefined ? null : keysOf(ask.key);
    if (keys !== null && session.input.hasTyped(isTerminal ? keys.enter : keys.text))
      return answer(session, null, start, true);
    const text = Buffer.from(ask.text);
    const typeText = ({ bracketedPaste }: Shown): Promise<boolean> =>
      type(session, keys?.text, isTerminal ? paste(text, { bracketedPaste }) : Buffer.concat([text, NEWLINE]), who);
    // Text that an earlier keeper pasted for this prompt is not a left-over.
    const isOwn = keys !== null && session.input.hasTyped(keys.text);
    if (ask.clear === true && isTerminal && !isOwn)
      await clearInput(session, refuseFullScreen(session, refuseDialogs(session)), who);
    const judge = isOwn ? refuseDialogs(session) : refuseFullScreen(session, refuseLeftOvers(session));
    const isNew = await (ask.force === true
      ? lookQuickly(session).then(typeText)
      : typeWhenSeen(session, judge, typeText));
    if (!isTerminal) return answer(session, await this.#heard(session, ask, start), start);
    return this.#submit(session, ask, { enterKey: keys?.enter, isNew, start, who });
  }

  /** The text is in the input line: presses Enter, and then checks whether it was accepted. */
  async #submit(
    session: Session,
    ask: Ask,
    { enterKey, isNew, start, who }: { enterKey: string | undefined; isNew: boolean; start: number; who: string },
  ): Promise<Prompted> {
    const tail = tailOf(ask.text);
    await settled(session, tail);
    const pressEnter = (look: Shown): Pressed | null => {
      const before = placeOf(tail, look.lines, look.cursorRow);
      // Pasted before a keeper died, or before a dialog appeared: Enter is still to come, but only if the text is still
      // there.
      if (!isNew && before.textRow === null) return null;
      const from = session.info.offset;
      return { from, before, wasWorking: look.state === 'working', typed: type(session, enterKey, ENTER, who) };
    };
    const pressed = await (ask.force === true
      ? lookQuickly(session).then(pressEnter)
      : typeWhenSeen(session, refuseDialogs(session), pressEnter).catch(unsubmitted));
    if (pressed === null) return answer(session, null, start, true);
    await pressed.typed;
    const { from, before, wasWorking } = pressed;
    const reactionNow = async (): Promise<Prompted['reaction']> => {
      const { state } = session.status;
      if (!session.isRunning) return 'exited';
      // The terminal echoes by itself: until the child has read the input, nothing on the screen is a reaction to it.
      if (session.input.unreadBytes > 0) return null;
      if (state === 'blocked') return state;
      const look = await session.look({ mustReach: false }).catch(() => null);
      // An agent that draws slowly looks like one that works; while the text is in its input line, it was not accepted.
      if (look !== null && standsInLine(look, tail)) return null;
      if (state === 'working' && !wasWorking) return state;
      const after = look && placeOf(tail, look.lines, look.cursorRow);
      return isTaken(before, after, isKnownAgent(session)) ? 'screen' : null;
    };
    const reaction = await until(session, ask.confirmMs ?? CONFIRM_MS, async () => {
      const found = await reactionNow();
      if (found === null || found === 'exited' || found === 'blocked') return found;
      // The kernel hands typed bytes to the child's side a moment after the write: only then do unread ones count.
      await sleep(UNREAD_MS);
      return session.input.unreadBytes > 0 ? null : found;
    });
    // An agent whose input line is empty again is about to show that it works: its present screen is stale.
    const isStale = reaction === 'screen' && isKnownAgent(session);
    const shown = isStale ? await until(session, SHOW_MS, () => Promise.resolve(shownState(session))) : null;
    return answer(session, shown ?? reaction, from);
  }

  /** Without a screen, any output counts as the reaction. */
  async #heard(session: Session, { confirmMs = CONFIRM_MS }: Ask, from: number): Promise<Prompted['reaction']> {
    return until(session, confirmMs, () =>
      Promise.resolve(session.info.offset > from ? 'output' : session.isRunning ? null : 'exited'),
    );
  }
}

/** Nothing was typed: the error then says that the text is still in the input line. */
const REFUSALS: ReadonlySet<string> = new Set(['INPUT_BLOCKED', 'INPUT_BUSY', 'STATE_UNKNOWN']);
const NEWLINE = Buffer.from('\n');

/** A prompt is two inputs, and neither may match a client's own input with the same key. */
const keysOf = (key: string): { readonly text: string; readonly enter: string } => ({
  text: `prompt\n${key}`,
  enter: `enter\n${key}`,
});

/** False when it was typed before. */
async function type(session: Session, key: string | undefined, bytes: Uint8Array, who: string): Promise<boolean> {
  if (key !== undefined) return session.input.writeOnce(key, bytes, who);
  await session.input.write(bytes, who);
  return true;
}

/** The text was typed but Enter was not: the error says so. */
function unsubmitted(error: unknown): never {
  if (!SpoolError.is(error) || !REFUSALS.has(error.code)) throw error;
  throw new SpoolError(error.code, { ...error.details, text: 'is in its input line, and was not submitted' });
}

function answer(session: Session, reaction: Prompted['reaction'], offset: number, isRepeated = false): Prompted {
  return { isConfirmed: reaction !== null, reaction, offset, isRepeated, session: session.info };
}

function shownState({ status, isRunning }: Session): Prompted['reaction'] {
  if (!isRunning) return 'exited';
  return status.state === 'working' || status.state === 'blocked' ? status.state : null;
}

function standsInLine({ input }: Look, tail: string): boolean {
  return tail !== '' && input !== null && input.text.replaceAll(/\s+/g, ' ').includes(tail);
}

/** For a forced prompt, which is typed whatever the screen shows, even if it cannot be read. */
function lookQuickly(session: Session): Promise<Shown> {
  const blind: Shown = { state: session.status.state, bracketedPaste: false, lines: [], cursorRow: 0 };
  return session.look({ mustReach: false }).catch(() => blind);
}

/** An agent with a known screen shows when it works; its cursor may be anywhere. */
function isKnownAgent({ status }: Session): boolean {
  return status.agent !== null && status.agent !== 'shell';
}
