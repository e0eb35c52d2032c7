/**
 * The pause between the paste of a prompt and its Enter. Keeps IN-40.
 *
 * Gemini takes an Enter for a newline if it comes within 40 ms of a paste, counted from the moment when it has read the paste,
 * which may be long after it was typed. Therefore the pause begins when the paste is visible in the input line. An agent whose
 * input line never shows the paste gets no Enter.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isHeldBy, squeezed } from '@spool/status';
import type { ScreenReport } from '../screens/messages.ts';

/** The bounds for the wait until the paste is read and the screen does not change. */
const SETTLE_MS_MIN = 60;
const SETTLE_MS_MAX = 600;
/** The limit for a known input line to show the text. A busy machine takes seconds. */
const SHOWN_MS_MAX = 10_000;
const LOOK_AGAIN_MS = 50;
/** The pause from the first look that shows the paste to Enter: Gemini's 40 ms, and time for a busy machine to count them. */
export const REST_MS = 150;
/**
 * The pause if the line shows something other than the end of the text (`[Pasted text #1 +9 lines]`): it must be unchanged for
 * longer.
 */
const OTHER_REST_MS = 600;

type InputReport = Pick<ScreenReport, 'agent' | 'asks' | 'input' | 'hasInputRules'>;

interface LookSource {
  nextLook(): Promise<void>;
}

/** The part of a session that is examined. */
export interface SettlingSession extends LookSource {
  readonly isRunning: boolean;
  readonly lookedTo: number;
  readonly info: { readonly offset: number };
  readonly input: { readonly unreadBytes: number };
  look(options: { readonly mustReach: boolean }): Promise<InputReport>;
}

/** The place of a paste after the wait. */
export type PasteOutcome =
  /** The paste is in the input line, whose text is compared without blanks. */
  | { readonly place: 'line'; readonly line: string }
  /** The known input line did not show the paste in time, or a dialog has replaced it. */
  | { readonly place: 'unseen' }
  /** The input line is unknown. */
  | { readonly place: 'unknown' };

/**
 * Waits until the paste has been read and the screen does not change; if an agent's input line is known, waits until it contains
 * the text, and then for a pause. `wasLineSeen`: the empty line was seen before the paste.
 */
export async function settled(session: SettlingSession, text: string, wasLineSeen: boolean): Promise<PasteOutcome> {
  await sleep(SETTLE_MS_MIN);
  const from = session.lookedTo;
  await until(session, SETTLE_MS_MAX - SETTLE_MS_MIN, () =>
    Promise.resolve(
      session.input.unreadBytes === 0 && (session.lookedTo > from || session.lookedTo >= session.info.offset)
        ? true
        : null,
    ),
  );
  const deadline = performance.now() + SHOWN_MS_MAX;
  let last = { line: '', since: 0 };
  for (;;) {
    const look = session.isRunning ? await session.look({ mustReach: false }).catch(() => null) : null;
    if (look === null || !isAgent(look)) return { place: 'unknown' };
    if (!look.hasInputRules || (!wasLineSeen && look.input === null)) return sleep(REST_MS, { place: 'unknown' });
    const now = performance.now();
    const line = look.asks === null ? squeezed(look.input?.text ?? '') : '';
    if (line !== last.line) last = { line, since: now };
    if (line !== '' && now - last.since >= (isHeldBy(line, text) ? REST_MS : OTHER_REST_MS))
      return { place: 'line', line };
    if (look.asks !== null || now >= deadline) return { place: 'unseen' };
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Resolves with the first result of `check`, or null after the time limit. */
export async function until<T>(session: LookSource, ms: number, check: () => Promise<T | null>): Promise<T | null> {
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

/** Returns whether the program is an agent. A shell need not show its input, and takes Enter at any time. */
function isAgent({ agent }: InputReport): boolean {
  return agent !== null && agent !== 'shell';
}
