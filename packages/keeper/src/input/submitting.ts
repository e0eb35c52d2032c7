/**
 * Presses Enter after the text of a prompt, and finds out whether the session has accepted it. Keeps IN-42 and IN-47.
 *
 * Enter is pressed once the input line holds the text. It is pressed a second time only if the screen proves that the agent took
 * the first one for a new line: the same text, no dialog, and the cursor one row further down.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type PromptFinding, findingOf, squeezed, type Submission, submissionOf } from '@spool/status';
import { type Prompted, SpoolError } from '@spool/protocol';
import type { ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { type ReadinessCheck, typeWhenSeen } from './careful-typing.ts';
import { refuseDialogs } from './refusals.ts';
import { type PasteOutcome, until } from './settling.ts';
import { isTaken, type TypedPosition, locateTyped, tailOf } from './typed-position.ts';

const CONFIRM_MS = 3000;
/** The limit for an agent to react: on a busy machine it takes seconds to draw its input. */
const AGENT_CONFIRM_MS = 15_000;
/** The time within which the kernel hands typed bytes to the child's side of the terminal. */
const UNREAD_MS = 40;
/** The time for which the screen must not change, because a box may be drawn before its text. */
const STABLE_MS = 200;
const LOOK_AGAIN_MS = 50;
/** The time after which a draft with a new line counts as not submitted. */
const NEW_LINE_MS = 500;
/** The sources that are evidence about a shell, or a program without rules: bytes and silence are left out. */
const SAYING: ReadonlySet<string> = new Set(['program', 'screen', 'title', 'shell', 'progress', 'notification']);

const NOT_SEEN = 'the text was typed before the daemon was restarted, and is not to be seen; Enter was not pressed';

/** The outcome of a prompt. `reason`: the reason why it is not confirmed. */
export type PromptOutcome = Pick<Prompted, 'reaction' | 'isConfirmed' | 'reason'>;

interface EnterKeys {
  /** Presses Enter; an idempotency key ensures that it is pressed once. */
  press(which: 'first' | 'again'): Promise<unknown>;
}

interface EnterPress {
  /** The end of the log before the prompt. */
  readonly from: number;
  readonly submission: Submission;
  readonly place: TypedPosition;
  /** Whether the rules know the agent's input line: then only that line and the conversation count. */
  readonly isAgent: boolean;
  readonly typed: Promise<unknown>;
}

type PromptReport = Pick<
  ScreenReport,
  'state' | 'kind' | 'source' | 'asks' | 'input' | 'lines' | 'cursorRow' | 'bracketedPaste' | 'hasInputRules'
>;

export interface SubmitOptions {
  readonly text: string;
  readonly rest: PasteOutcome;
  readonly force: boolean;
  readonly confirmMs: number | undefined;
  /** Whether an earlier keeper typed the text: Enter is then pressed only if the text is still there. */
  readonly mustBeSeen: boolean;
  readonly keys: EnterKeys;
}

export async function submit(
  session: KeeperSession,
  { text, rest, force, confirmMs, mustBeSeen, keys }: SubmitOptions,
): Promise<PromptOutcome & { readonly from: number }> {
  const tail = tailOf(text);
  const press = (look: PromptReport): EnterPress | null => {
    const place = locateTyped(tail, look.lines, look.cursorRow);
    if (mustBeSeen && rest.place !== 'line' && place.textRow === null) return null;
    const from = session.info.offset;
    return {
      from,
      submission: submissionOf(text, look),
      place,
      isAgent: look.hasInputRules,
      typed: keys.press('first'),
    };
  };
  const pressed = await (force
    ? lookQuickly(session).then(press)
    : typeWhenSeen(session, refuseOtherText(session, rest), press).catch(unsubmitted));
  if (pressed === null) return { ...open(NOT_SEEN), from: session.info.offset };
  await pressed.typed;
  const outcome = pressed.isAgent
    ? await agentOutcome(session, pressed.submission, { ms: confirmMs ?? AGENT_CONFIRM_MS, force, keys })
    : await otherOutcome(session, pressed, tail, confirmMs ?? CONFIRM_MS);
  return { ...outcome, from: pressed.from };
}

/** Refuses Enter if it would answer a dialog, or submit anything but the text that was seen in the input line. */
function refuseOtherText(session: KeeperSession, rest: PasteOutcome): ReadinessCheck {
  const judgeDialogs = refuseDialogs(session);
  return (look) => {
    const verdict = judgeDialogs(look);
    if (verdict !== 'type' || rest.place !== 'line') return verdict;
    return squeezed(look.input?.text ?? '') === rest.line ? 'type' : 'again';
  };
}

async function agentOutcome(
  session: KeeperSession,
  submission: Submission,
  { ms, force, keys }: { readonly ms: number; readonly force: boolean; readonly keys: EnterKeys },
): Promise<PromptOutcome> {
  const deadline = performance.now() + ms;
  let last: { readonly finding: PromptFinding; readonly since: number } | null = null;
  let hasPressedAgain = false;
  for (;;) {
    if (!session.isRunning) return exited(session);
    const finding = await findingNow(session, submission);
    const now = performance.now();
    if (finding !== null && !isAlike(last?.finding, finding)) last = { finding, since: now };
    if (last !== null && finding !== null && now - last.since >= STABLE_MS && finding.reaction !== null)
      return confirmed(finding.reaction);
    if (last?.finding.isNewLine && now - last.since >= NEW_LINE_MS && !hasPressedAgain && !force) {
      hasPressedAgain = true;
      await typeWhenSeen(session, refuseAllButNewLine(session, submission), () => keys.press('again')).catch(ignored);
    }
    if (now >= deadline) return open(`Enter was pressed, but ${last?.finding.reason ?? 'its screen cannot be read'}`);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Returns null while the session has not read its input: until then, no change of the screen is a reaction to it. */
async function findingNow(session: KeeperSession, submission: Submission): Promise<PromptFinding | null> {
  if (session.input.unreadBytes > 0) return null;
  const look = await session.look({ mustReach: false }).catch(() => null);
  return look === null || look.isUnsettled ? null : findingOf(submission, look);
}

function refuseAllButNewLine(session: KeeperSession, submission: Submission): ReadinessCheck {
  const judgeDialogs = refuseDialogs(session);
  return (look) => {
    const verdict = judgeDialogs(look);
    return verdict === 'type' && !findingOf(submission, look).isNewLine ? 'again' : verdict;
  };
}

/**
 * Returns the outcome for a shell, or a program whose input line is unknown: the text has left the line, or the program reports
 * that it works.
 */
async function otherOutcome(
  session: KeeperSession,
  { place, submission: { wasWorking } }: EnterPress,
  tail: string,
  ms: number,
): Promise<PromptOutcome> {
  const reactionNow = async (): Promise<Prompted['reaction']> => {
    const { state, source } = session.status;
    if (!session.isRunning) return 'exited';
    // The terminal echoes by itself: until the child has read the input, no change of the screen is a reaction to it.
    if (session.input.unreadBytes > 0) return null;
    if (state === 'blocked') return state;
    const look = await session.look({ mustReach: false }).catch(() => null);
    // An agent that has started meanwhile has cleared the screen, which proves nothing.
    if (look !== null && (look.hasInputRules || isInLine(look, tail))) return null;
    if (state === 'working' && !wasWorking && SAYING.has(source)) return state;
    const after = look && locateTyped(tail, look.lines, look.cursorRow);
    return isTaken(place, after, isKnownAgent(session)) ? 'screen' : null;
  };
  const reaction = await until(session, ms, async () => {
    const found = await reactionNow();
    if (found === null || found === 'exited' || found === 'blocked') return found;
    // The kernel hands typed bytes to the child's side a moment after the write, and unread bytes count only from then on.
    await sleep(UNREAD_MS);
    return session.input.unreadBytes > 0 ? null : found;
  });
  if (reaction !== null) return confirmed(reaction);
  return open(
    session.input.unreadBytes > 0
      ? 'Enter was pressed, but the program has not read its input'
      : 'Enter was pressed, but the screen does not show that the text was taken',
  );
}

/**
 * Returns the outcome for an agent that has ended: one that ends with success was asked to end; one that fails may have failed
 * before it read the prompt.
 */
function exited({ info: { exitCode, signal } }: KeeperSession): PromptOutcome {
  if (exitCode === 0 && (signal ?? null) === null) return confirmed('exited');
  return { isConfirmed: false, reaction: 'exited', reason: 'Enter was pressed, but the program has failed' };
}

/** The refusals after which the text is in the input line, without Enter. */
const REFUSALS: ReadonlySet<string> = new Set(['INPUT_BLOCKED', 'INPUT_BUSY', 'STATE_UNKNOWN']);

/** Throws the error with a note that the text was typed, but not Enter. */
function unsubmitted(error: unknown): never {
  if (!SpoolError.is(error) || !REFUSALS.has(error.code)) throw error;
  throw new SpoolError(error.code, { ...error.details, text: 'is in its input line, and was not submitted' });
}

/** Reads the screen for a forced prompt, which is typed whatever the screen shows, even if it cannot be read. */
export function lookQuickly(session: KeeperSession): Promise<PromptReport> {
  const { state, kind, source } = session.status;
  const blind: PromptReport = {
    ...{ state, kind, source, asks: null, input: null, hasInputRules: false },
    ...{ bracketedPaste: false, lines: [], cursorRow: 0 },
  };
  return session.look({ mustReach: false }).catch(() => blind);
}

export function isKnownAgent({ status }: KeeperSession): boolean {
  return status.agent !== null && status.agent !== 'shell';
}

function isInLine({ input }: ScreenReport, tail: string): boolean {
  return tail !== '' && input !== null && input.text.replaceAll(/\s+/g, ' ').includes(tail);
}

function isAlike(one: PromptFinding | undefined, other: PromptFinding): boolean {
  return one?.reaction === other.reaction && one.reason === other.reason && one.isNewLine === other.isNewLine;
}

/** Ignores the refusal of a second Enter; the known outcome is reported anyway. */
function ignored(error: unknown): void {
  if (!SpoolError.is(error)) throw error;
}

export const confirmed = (reaction: Prompted['reaction']): PromptOutcome => ({
  isConfirmed: true,
  reaction,
  reason: null,
});
export const open = (reason: string): PromptOutcome => ({ isConfirmed: false, reaction: null, reason });
