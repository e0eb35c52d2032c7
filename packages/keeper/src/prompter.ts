/**
 * Types prompts as a careful person would: a paste, a moment, Enter by itself, and then a look whether it was taken. A prompt
 * that is sent in one write with its Enter is often pasted but not submitted; one that is sent to a dialog answers it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Prompted, type Requests, SpoolError } from '@spool/protocol';
import { paste } from '@spool/vt';
import type { Session } from './session.ts';

/** Between paste and Enter: until the paste has been shown and the screen has come to rest, within these bounds. */
const SETTLE_MS_MIN = 60;
const SETTLE_MS_MAX = 600;
const CONFIRM_MS = 3000;
/** From an empty input line to the first sign of work; an agent that is slow, on a machine that is busy. */
const SHOW_MS = 3000;
/** So much of the end of a prompt is looked for on the screen. */
const TAIL_CHARACTERS = 20;

const ENTER = Buffer.from('\r');

type Ask = Requests['prompt']['ask'];

interface Screen {
  readonly lines: readonly { readonly runs: readonly { readonly text: string }[] }[];
  readonly cursor: { readonly row: number };
  readonly rows: number;
  readonly modes: { readonly bracketedPaste: boolean };
}

/** Where on the screen the end of what was typed stands. */
interface Place {
  readonly textRow: number | null;
  readonly cursorRow: number;
  readonly rows: number;
}

export class Prompter {
  /** One after the other in each session: two prompts at once would be one. */
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
    if (keys !== null && session.hasTyped(isTerminal ? keys.enter : keys.text))
      return answer(session, null, start, true);
    refuseIfBlocked(session, ask);
    const text = Buffer.from(ask.text);
    const screen = isTerminal ? await screenOf(session) : null;
    const bytes = screen ? paste(text, screen.modes) : Buffer.concat([text, NEWLINE]);
    const isNew = await type(session, keys?.text, bytes, who);
    if (!isTerminal) return answer(session, await this.#heard(session, ask, start), start);
    await settled(session);
    refuseIfBlocked(session, ask, { text: 'is in its input line, and was not submitted' });
    const tail = tailOf(ask.text);
    const wasWorking = session.status.state === 'working';
    const before = await placeOf(session, tail);
    // Pasted before a keeper died, or before a dialog came: Enter is still to come, but only if the text still stands there.
    if (!isNew && (before === null || before.textRow === null)) return answer(session, null, start, true);
    const from = session.info.offset;
    await type(session, keys?.enter, ENTER, who);
    const reaction = await until(session, ask.confirmMs ?? CONFIRM_MS, async () => {
      const { state } = session.status;
      if (!session.isRunning) return 'exited';
      // The terminal echoes by itself: as long as nobody has read it, nothing on the screen is an answer to it.
      if (session.unreadBytes > 0) return null;
      if (state === 'blocked' || (state === 'working' && !wasWorking)) return state;
      return isTaken(before, await placeOf(session, tail), isKnownAgent(session)) ? 'screen' : null;
    });
    // An agent whose input line is empty again is about to show that it works: what it shows now is of before.
    const isStale = reaction === 'screen' && isKnownAgent(session);
    const shown = isStale ? await until(session, SHOW_MS, () => Promise.resolve(shownState(session))) : null;
    return answer(session, shown ?? reaction, from);
  }

  /** Without a screen, whatever it writes is its reaction. */
  async #heard(session: Session, { confirmMs = CONFIRM_MS }: Ask, from: number): Promise<Prompted['reaction']> {
    return until(session, confirmMs, () =>
      Promise.resolve(session.info.offset > from ? 'output' : session.isRunning ? null : 'exited'),
    );
  }
}

const NEWLINE = Buffer.from('\n');

/** A prompt is two things that are typed, and neither is what somebody else typed with the same key. */
const keysOf = (key: string): { readonly text: string; readonly enter: string } => ({
  text: `prompt\n${key}`,
  enter: `enter\n${key}`,
});

/** False when it was typed before. */
async function type(session: Session, key: string | undefined, bytes: Uint8Array, who: string): Promise<boolean> {
  if (key !== undefined) return session.writeOnce(key, bytes, who);
  await session.write(bytes, who);
  return true;
}

function refuseIfBlocked(session: Session, { force = false }: Ask, details: Record<string, string> = {}): void {
  const { state, kind } = session.status;
  if (state === 'blocked' && !force)
    throw new SpoolError('INPUT_BLOCKED', { session: session.id, kind: kind ?? '', ...details });
}

function answer(session: Session, reaction: Prompted['reaction'], offset: number, isRepeated = false): Prompted {
  return { isConfirmed: reaction !== null, reaction, offset, isRepeated, session: session.info };
}

function shownState({ status, isRunning }: Session): Prompted['reaction'] {
  if (!isRunning) return 'exited';
  return status.state === 'working' || status.state === 'blocked' ? status.state : null;
}

/** The first look after which `check` has an answer; null when the time is over. */
async function until<T>(session: Session, ms: number, check: () => Promise<T | null>): Promise<T | null> {
  const deadline = performance.now() + ms;
  for (;;) {
    const looked = session.nextLook();
    const found = await check();
    const left = deadline - performance.now();
    if (found !== null || left <= 0) return found;
    const over = new AbortController();
    await Promise.race([looked, sleep(left, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }
}

async function settled(session: Session): Promise<void> {
  await sleep(SETTLE_MS_MIN);
  // A look is taken when the output has come to rest; a program that shows nothing of a paste makes none.
  const from = session.lookedTo;
  await until(session, SETTLE_MS_MAX - SETTLE_MS_MIN, () =>
    Promise.resolve(session.lookedTo > from || session.lookedTo >= session.info.offset ? true : null),
  );
}

function tailOf(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return last.replaceAll(/\s+/g, ' ').trim().slice(-TAIL_CHARACTERS);
}

async function screenOf(session: Session): Promise<Screen> {
  const answered = await session.screen({ type: 'screen', at: null, format: 'json', historyLines: 0 });
  if (answered.type !== 'screen') throw new SpoolError('INTERNAL', { reason: 'another answer was expected' });
  return JSON.parse(answered.content) as Screen;
}

/** Null where there is nothing to see: the child has ended, or the screen is being made anew. */
async function placeOf(session: Session, tail: string): Promise<Place | null> {
  const screen = session.isRunning ? await screenOf(session).catch(() => null) : null;
  if (screen === null) return null;
  const { lines, cursor, rows } = screen;
  const textRow =
    tail === ''
      ? -1
      : lines.findLastIndex(({ runs }) =>
          runs
            .map(({ text }) => text)
            .join('')
            .replaceAll(/\s+/g, ' ')
            .includes(tail),
        );
  return { textRow: textRow === -1 ? null : textRow, cursorRow: cursor.row, rows };
}

/** An agent whose screen is known shows when it works; its cursor may be anywhere. */
function isKnownAgent({ status }: Session): boolean {
  return status.agent !== null && status.agent !== 'shell';
}

/**
 * Whether what was typed has left the input line: it is gone from the screen, or has moved up by more than the line that an
 * Enter would add to it; in a shell and the like also when the cursor has gone further below it.
 */
function isTaken(before: Place | null, after: Place | null, isAgent: boolean): boolean {
  if (!before || before.textRow === null || !after) return false;
  if (after.textRow === null) return true;
  const fromBottom = (place: Place): number => place.rows - place.textRow!;
  if (fromBottom(after) - fromBottom(before) >= 2) return true;
  return !isAgent && after.cursorRow - after.textRow > before.cursorRow - before.textRow;
}
