/**
 * Types prompts as a careful user would: waits until an agent accepts input, pastes, pauses, presses Enter by itself, and then
 * checks whether the prompt was accepted. A prompt sent in one write with its Enter is often pasted but not submitted; a prompt
 * sent to a dialog answers it. Keeps IN-40 and IN-41.
 */
import { type Prompted, type Requests, SpoolError } from '@spool/protocol';
import { paste } from '@spool/vt';
import { typeWhenSeen } from '../input/careful-typing.ts';
import { clearInput } from '../input/clearing.ts';
import { promptText, refuseLines } from '../input/prompt-text.ts';
import { awaitReady } from '../input/readiness.ts';
import { refuseDialogs, refuseFullScreen, refuseLeftOvers } from '../input/refusals.ts';
import { type PasteOutcome, settled, until } from '../input/settling.ts';
import { confirmed, isKnownAgent, lookQuickly, open, type PromptOutcome, submit } from '../input/submitting.ts';
import type { ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from './session.ts';

const CONFIRM_MS = 3000;
/** The maximum time from an empty input line to the first sign of work, for a slow agent on a busy machine. */
const SHOW_MS = 3000;
const ENTER = Buffer.from('\r');
const NEWLINE = Buffer.from('\n');
/** The poll interval for programs on pipes, whose unread bytes are counted. */
const PIPE_LOOK_MS = 25;
const NOT_SHOWN = 'the text was typed, but its input line does not show it; Enter was not pressed';

type PromptRequest = Requests['prompt']['ask'];

/** One prompt on its way. */
interface PromptTurn {
  readonly session: KeeperSession;
  readonly ask: PromptRequest;
  readonly who: string;
  /** The text in its typed form. */
  readonly text: string;
  /** The idempotency keys of its parts; null without a key. */
  readonly keys: PromptKeys | null;
  /** The end of the log when it began. */
  readonly start: number;
}

interface PromptKeys {
  readonly text: string;
  readonly enter: string;
  readonly again: string;
}

export class Prompter {
  /** The last prompt of each session; prompts are typed one at a time, because two at once would be merged. */
  readonly #turns = new Map<KeeperSession, Promise<unknown>>();

  prompt(session: KeeperSession, ask: PromptRequest, who: string): Promise<Prompted> {
    const before = this.#turns.get(session) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => typePrompt(session, ask, who));
    this.#turns.set(session, turn);
    const forget = (): void => {
      if (this.#turns.get(session) === turn) this.#turns.delete(session);
    };
    turn.then(forget, forget);
    return turn;
  }
}

async function typePrompt(session: KeeperSession, ask: PromptRequest, who: string): Promise<Prompted> {
  const text = promptText(session.name, ask.text);
  if (text === '') throw new SpoolError('REQUEST_INVALID', { reason: 'an empty prompt' });
  const keys = ask.key === undefined ? null : keysOf(ask.key);
  const turn: PromptTurn = { session, ask, who, text, keys, start: session.info.offset };
  if (session.info.size === null) return pipePrompt(turn);
  if (keys !== null && session.input.hasTyped(keys.enter)) return repeated(turn);
  // Text that an earlier keeper pasted for this prompt does not count as foreign.
  const isOwn = keys !== null && session.input.hasTyped(keys.text);
  if (ask.clear === true && !isOwn) await clearInput(session, refuseAsked(session), who);
  const { wasLineSeen } = await typeText(turn, isOwn);
  const rest: PasteOutcome = await settled(session, text, wasLineSeen);
  if (rest.place === 'unseen' && ask.force !== true && session.status.state !== 'blocked')
    return makeReply(session, open(NOT_SHOWN), turn.start);
  const { from, ...outcome } = await submit(session, {
    ...{ text, rest, force: ask.force === true, confirmMs: ask.confirmMs, mustBeSeen: isOwn },
    keys: { press: (which) => type(session, which === 'first' ? keys?.enter : keys?.again, ENTER, who) },
  });
  return makeReply(session, await withState(session, outcome), from);
}

/** Types the text, unless an earlier keeper has typed it. */
async function typeText(
  { session, ask, text, keys, who }: PromptTurn,
  isOwn: boolean,
): Promise<{ wasLineSeen: boolean }> {
  const typeNow = async (look: Pick<ScreenReport, 'bracketedPaste' | 'input' | 'hasInputRules'>): Promise<boolean> => {
    if (ask.force !== true && !isOwn) refuseLines(session.name, text, look);
    await type(session, keys?.text, paste(Buffer.from(text), look), who);
    return look.hasInputRules && look.input !== null;
  };
  if (ask.force === true) return { wasLineSeen: await lookQuickly(session).then(typeNow) };
  const judge = isOwn ? refuseDialogs(session) : refuseUntilReady(session);
  return { wasLineSeen: await typeWhenSeen(session, judge, typeNow, { readyMs: ask.readyMs }) };
}

/** Sends a prompt to a program on pipes, which has no screen: the prompt counts as accepted once the program has read it. */
async function pipePrompt(turn: PromptTurn): Promise<Prompted> {
  const { session, ask, text, keys, start, who } = turn;
  if (keys !== null && session.input.hasTyped(keys.text)) return repeated(turn);
  if (ask.force !== true) refuseLines(session.name, text, { bracketedPaste: false });
  await type(session, keys?.text, Buffer.concat([Buffer.from(text), NEWLINE]), who);
  const hasRead = (): boolean => session.input.queuedBytes === 0 && session.input.unreadBytes === 0;
  const deadline = performance.now() + (ask.confirmMs ?? CONFIRM_MS);
  for (;;) {
    if (hasRead()) return makeReply(session, confirmed('read'), start);
    if (!session.isRunning) return makeReply(session, { ...open('the program has ended'), reaction: 'exited' }, start);
    const left = deadline - performance.now();
    if (left <= 0) return makeReply(session, open('the program has not read the line'), start);
    await until(session, Math.min(PIPE_LOOK_MS, left), () => Promise.resolve(null));
  }
}

function refuseAsked(session: KeeperSession): ReturnType<typeof awaitReady> {
  return awaitReady(session, refuseFullScreen(session, refuseDialogs(session)), refuseDialogs(session));
}

function refuseUntilReady(session: KeeperSession): ReturnType<typeof awaitReady> {
  return awaitReady(session, refuseFullScreen(session, refuseLeftOvers(session)), refuseDialogs(session));
}

/** Returns the keys for the parts of a prompt: at most three inputs, and none may match a client's own input with the same key. */
function keysOf(key: string): PromptKeys {
  return { text: `prompt\n${key}`, enter: `enter\n${key}`, again: `again\n${key}` };
}

/** Returns false if the bytes had been typed before. */
async function type(session: KeeperSession, key: string | undefined, bytes: Uint8Array, who: string): Promise<boolean> {
  if (key !== undefined) return session.input.writeOnce(key, bytes, who);
  await session.input.write(bytes, who);
  return true;
}

/**
 * Adds the session's state to the outcome. An agent whose input line is empty again is about to show that it works: its present
 * screen is stale. Work that was seen must also be in the status: a client that next waits for `idle` would otherwise get the
 * earlier idle.
 */
async function withState(session: KeeperSession, outcome: PromptOutcome): Promise<PromptOutcome> {
  const isStale = outcome.reaction === 'screen' || outcome.reaction === 'working';
  if (!isStale || !isKnownAgent(session)) return outcome;
  const shown = await until(session, SHOW_MS, () => Promise.resolve(shownState(session)));
  return shown === null ? outcome : confirmed(shown);
}

function shownState({ status, isRunning }: KeeperSession): Prompted['reaction'] {
  if (!isRunning) return 'exited';
  return status.state === 'working' || status.state === 'blocked' ? status.state : null;
}

function repeated({ session, start }: PromptTurn): Prompted {
  return { ...makeReply(session, open('a prompt with this key was typed before'), start), isRepeated: true };
}

function makeReply(session: KeeperSession, outcome: PromptOutcome, offset: number): Prompted {
  return { ...outcome, offset, isRepeated: false, session: session.info };
}
