/**
 * The screen thread: follows every running session in turns, maintains the screen and the status of each, and answers
 * questions about any screen of the past. It has a low priority: moving bytes comes before painting them.
 */
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { Log } from '@spool/core';
import { renderAnsi, ScreenModel } from '@spool/core/screen';
import { alarmDelay } from './alarm-delay.ts';
import type { Follower } from './follower.ts';
import { Grids } from './grids.ts';
import { History } from '../insight/history.ts';
import { StatusTracker, type Past, restoredStatus } from '../insight/status-tracker.ts';
import { Keyframes } from './keyframes.ts';
import { lookAt } from './look.ts';
import {
  type FromScreens,
  type GrownSession,
  hasTerminal,
  type ScreenAnswer,
  type ScreenAsk,
  type ScreenSource,
  type SessionOffset,
  type ToScreens,
} from '../messages.ts';
import { surplusModels } from './model-budget.ts';
import { PastQuestions } from './past-questions.ts';
import { describe, timeOf } from './picture.ts';
import { RuleFiles } from './rule-files.ts';
import type { Status } from '@spool/protocol';
import { steadyNow, wallOf } from '../steady-clock.ts';
import { ScreenFollower } from './screen-follower.ts';
import { TextFollower } from './text-follower.ts';

/** After this time, pending questions are handled. */
const WORK_MS = 10;
/** The number of models that looks may make between two checks of the models' memory. */
const MODELS_PER_CHECK = 24;
/** The budget is checked this often while sessions are busy. */
const CHECK_EVERY_MS = 250;
/** A question about a session in a flood waits at most this long, then gets a slightly older screen. */
const PATIENCE_MS = 50;
/** A look for a client that is about to type may delay the other sessions for this long. */
const HURRY_MS_MAX = 50;
const NICENESS = 5;
/**
 * Logs that keep a file open between two turns, and their share of the files that the process may open: sessions come
 * first.
 */
const OPEN_LOGS_MAX = 256;
const OPEN_FILES_SHARE = 1 / 8;
/** A child that has written nothing for this long after its start is no longer starting. */
const SILENT_MS = 10_000;
/** For an adopted session without a terminal, this much is read again: a look needs its last output. */
const LOOK_BACK_BYTES = 4096;
/** Stop following a session after this many crashes. */
const FALLS_MAX = 2;

interface Question {
  readonly request: number;
  readonly source: ScreenSource;
  readonly what: ScreenAsk;
  readonly end: number;
  readonly askedAt: number;
}

/** How a child ended. */
interface Exit {
  readonly at: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const port = parentPort!;
const { configFolder } = workerData as { configFolder: string };
// A user's rule with catastrophic backtracking falls back to the linear regexp engine.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
const files = new RuleFiles(configFolder, (sentence) => emit({ type: 'complaint', sentence }));
const followers = new Map<string, Follower>();
/** Sessions with something to read, answer or end. */
const active = new Set<string>();
const questions = new Map<string, Question[]>();
/** Questions about the past: one after the other. */
const pasts = new PastQuestions(emit, ({ id, folder }) => screenOf(id)?.keyframes ?? new Keyframes(folder));
const grids = new Grids();
/** Ended, but not followed to their end yet. */
const exits = new Map<string, Exit>();
/** Sessions whose tracker has something due. */
const waking = new Map<string, number>();
/** How often following a session has failed. */
const falls = new Map<string, number>();
/** Reported at the end of this turn, in one message for all. */
let followed: SessionOffset[] = [];
let looked: SessionOffset[] = [];
const openLogsMax = Math.min(OPEN_LOGS_MAX, openFilesMax() * OPEN_FILES_SHARE);
let checkedAt = 0;
let isScheduled = false;
let alarm: NodeJS.Timeout | undefined;
let alarmAt = Infinity;

setPriority(NICENESS); // of this thread alone, on Linux
port.on('message', (message: ToScreens) => {
  handle(message);
  schedule();
});
warmUp();
emit({ type: 'ready' });

/** Does the 40 ms of work that the first session would have to wait for: reads the rules, and runs the engine on a screen. */
function warmUp(): void {
  files.refresh();
  const model = new ScreenModel({ cols: 80, rows: 24 });
  model.write(Buffer.from('\x1b[1mwarm\x1b[m\r\n'.repeat(24)));
  model.dispose();
}

function handle(message: ToScreens): void {
  switch (message.type) {
    case 'follow':
      return follow(message.source, message.end, message.answeredTo);
    case 'grown':
      return message.sessions.forEach(grown);
    case 'resized':
      return screenOf(message.id)?.resized(message.offset, message.size);
    case 'typist':
      return followers.get(message.id)?.begin().typist(message.at, message.who);
    case 'signalled':
      return signalled(message.id);
    case 'colours':
      return screenOf(message.id)?.setColours(message.colours);
    case 'exited':
      followers.get(message.id)?.grown(message.end, message.at);
      if (!followers.has(message.id)) return;
      exits.set(message.id, message);
      active.add(message.id);
      return;
    case 'forget':
      pasts.forget(message.id);
      return forget(message.id);
    case 'ask':
      return ask(message);
  }
}

function signalled(id: string): void {
  const follower = followers.get(id);
  if (!follower) return;
  follower.begin().signalled(steadyNow());
  noteDue(id, follower);
}

function grown({ id, end, at, typedAt, isEntered }: GrownSession): void {
  const follower = followers.get(id);
  if (!follower) return;
  if (typedAt !== null) follower.tracker?.typed(Math.min(typedAt, steadyNow()), isEntered);
  follower.grown(end, at);
  active.add(id);
}

function follow(source: ScreenSource, end: number, answeredTo: number): void {
  const { id } = source;
  const beginTracking = (from: number): StatusTracker => {
    files.refresh();
    return new StatusTracker(
      source,
      from,
      files,
      {
        onStatus: (status) => emit({ type: 'status', id, status: shownStatus(status) }),
        onCommand: (command) => emit({ type: 'command', id, command }),
        onMilestone: (milestone, at) => emit({ type: 'milestone', id, at: wallOf(at), milestone }),
        onOscEvent: (fact, at) => emit({ type: 'fact', id, at: wallOf(at), fact }),
        view: () => screenOf(id)?.view() ?? null,
      },
      source.isAdopted ? pastOf(source, end) : null,
    );
  };
  const textFrom = source.isAdopted ? Math.max(0, end - LOOK_BACK_BYTES) : 0;
  const follower = hasTerminal(source)
    ? new ScreenFollower(source, end, answeredTo, {
        onAnswers: (bytes, upTo) => emit({ type: 'answers', id, bytes, upTo }),
        onFocusMode: (reportsFocus) => emit({ type: 'modes', id, reportsFocus }),
        beginTracking,
      })
    : new TextFollower(source, textFrom, end, () => beginTracking(textFrom));
  followers.set(id, follower);
  active.add(id);
  wakeAt(id, Math.max(steadyNow(), Math.min(steadyNow(), source.startedAt) + SILENT_MS));
  // Until the first look, the last known status stands.
  const { status } = source.isAdopted ? restoredStatus(new History(source.folder).read()) : {};
  if (!status) return;
  emit({ type: 'status', id, status });
  looked.push({ id, offset: end });
}

function shownStatus(status: Status): Status {
  const evidence = status.evidence.map((each) => ({ ...each, at: wallOf(each.at) }));
  return { ...status, since: wallOf(status.since), evidence };
}

function pastOf({ folder, startedAt }: ScreenSource, end: number): Past {
  using log = Log.open(`${folder}/log`, { readOnly: true, lenient: true });
  return { end, writtenAt: log.timeAt(Math.max(log.start, end - 1)) ?? startedAt };
}

function screenOf(id: string): ScreenFollower | undefined {
  const follower = followers.get(id);
  return follower instanceof ScreenFollower ? follower : undefined;
}

/** Writes nothing: its folder may have been removed. */
function forget(id: string): void {
  followers.get(id)?.close();
  followers.delete(id);
  active.delete(id);
  waking.delete(id);
  exits.delete(id);
  falls.delete(id);
  grids.forget(id);
  for (const { request } of questions.get(id) ?? [])
    emit({ type: 'failed', request, reason: 'the session is no longer followed' });
  questions.delete(id);
}

function ask({ request, source, what, end }: Omit<Question, 'askedAt'>): void {
  const follower = followers.get(source.id);
  if (what.type === 'look') {
    if (!follower) return answer({ request }, notFollowed);
    follower.grown(end, steadyNow());
  } else if (what.type === 'explain') {
    follower?.grown(end, steadyNow());
    if (!follower) return answer({ request }, () => explanation(source));
  } else if (!hasTerminal(source)) return; // the keeper does not ask that
  else {
    const isPast = what.type === 'screen' && what.at !== null;
    if (!follower || isPast) return pasts.add({ request, source, what, end });
    follower.grown(end, steadyNow());
  }
  active.add(source.id);
  const waiting = questions.get(source.id) ?? [];
  waiting.push({ request, source, what, end, askedAt: performance.now() });
  questions.set(source.id, waiting);
  // A client is about to type, so this cannot wait for its turn.
  if (what.type === 'look') attempt(source.id, () => hurry(source.id, follower));
}

function hurry(id: string, follower: Follower): void {
  const until = performance.now() + HURRY_MS_MAX;
  do workOn(id, follower);
  while (follower.isBehind && performance.now() < until);
}

function notFollowed(): never {
  throw new Error('its screen cannot be followed');
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(work);
}

/** Gives a turn to each session with pending work, those with waiting clients first; then lets messages in. */
function work(): void {
  isScheduled = false;
  const until = performance.now() + WORK_MS;
  for (const id of [...questions.keys(), ...active]) {
    if (!active.has(id)) continue;
    attempt(id, () => workOn(id, followers.get(id)!));
    if (performance.now() < until) continue;
    schedule();
    break;
  }
  pasts.work();
  if (pasts.areWaiting) schedule();
  dropModels();
  tellOffsets();
}

function workOn(id: string, follower: Follower): void {
  if (follower.isBehind) {
    follower.turn();
    follower.tracker?.save();
    if (!follower.isBehind) followed.push({ id, offset: follower.offset });
    noteDue(id, follower);
  }
  answerWaiting(id, follower);
  active.delete(id);
  if (follower.isBehind || questions.has(id)) {
    active.add(id); // behind the others
    return schedule();
  }
  if (exits.has(id)) finish(id, follower, exits.get(id)!);
}

function tellOffsets(): void {
  if (followed.length > 0) emit({ type: 'followed', sessions: followed });
  if (looked.length > 0) emit({ type: 'looked', sessions: looked });
  followed = [];
  looked = [];
}

/** One failing session must not affect the others: it is tried once more, then its status stays as it is. */
function attempt(id: string, deed: () => void): void {
  try {
    deed();
  } catch (error) {
    const count = (falls.get(id) ?? 0) + 1;
    falls.set(id, count);
    emit({ type: 'complaint', sentence: `session ${id} could not be followed: ${(error as Error).stack}` });
    if (count >= FALLS_MAX) forget(id);
    else schedule();
  }
}

function finish(id: string, follower: Follower, { at, exitCode, signal }: Exit): void {
  follower.tracker?.exited(at, exitCode, signal);
  follower.tracker?.save();
  follower.drop();
  forget(id);
}

function noteDue(id: string, { tracker }: Follower): void {
  const due = tracker === null ? null : tracker.dueAt;
  if (due === null) waking.delete(id);
  else wakeAt(id, due);
}

/**
 * One timer for all sessions, at the soonest that is known. One that has become later is found when the timer fires: only then
 * are all of them walked through, and not with every output.
 */
function wakeAt(id: string, due: number): void {
  waking.set(id, due);
  if (due < alarmAt) setAlarm(due);
}

function setAlarm(next: number): void {
  clearTimeout(alarm);
  alarmAt = next;
  if (next === Infinity) return;
  alarm = setTimeout(wake, alarmDelay(next, steadyNow()));
}

function wake(): void {
  alarmAt = Infinity;
  const now = steadyNow();
  let models = 0;
  for (const [id, due] of waking) {
    if (due > now) continue;
    const hadModel = hasModel(id);
    attempt(id, () => wakeOne(id, now));
    if (!hadModel && hasModel(id) && ++models % MODELS_PER_CHECK === 0) checkBudget(now);
  }
  dropModels();
  tellOffsets();
  let next = Infinity;
  for (const due of waking.values()) next = Math.min(next, due);
  setAlarm(next);
}

function hasModel(id: string): boolean {
  return (followers.get(id)?.modelBytes ?? 0) > 0;
}

function wakeOne(id: string, now: number): void {
  const follower = followers.get(id);
  if (!follower) return;
  const isFirst = follower.tracker === null;
  const tracker = follower.begin();
  // Only a look tells whether what the last keeper knew still holds.
  if (isFirst && tracker.isRestored) tracker.look(now);
  tracker.wake(now);
  tracker.save();
  noteDue(id, follower);
  tellLooked(id, follower, tracker);
}

function tellLooked(id: string, follower: Follower, tracker: StatusTracker): void {
  if (tracker.isSettled && !follower.isBehind) looked.push({ id, offset: follower.offset });
}

function answerWaiting(id: string, follower: Follower): void {
  const waiting = questions.get(id);
  if (!waiting) return;
  const rest = waiting.filter((question) => {
    const { what } = question;
    const isPatient = (what.type === 'look' && what.mustReach) || performance.now() - question.askedAt <= PATIENCE_MS;
    const isTime = !follower.isBehind || follower.offset >= question.end || !isPatient;
    if (isTime && !isForPast(question, follower)) answer(question, () => describeNow(question, follower));
    return !isTime;
  });
  if (follower.tracker) {
    noteDue(id, follower); // some answers take a look at the screen
    if (rest.length < waiting.length) tellLooked(id, follower, follower.tracker);
  }
  if (rest.length === 0) questions.delete(id);
  else questions.set(id, rest);
}

/** The question wants more lines above the screen than the model keeps: those are in the log. */
function isForPast({ request, source, what }: Question, follower: Follower): boolean {
  if (!(follower instanceof ScreenFollower) || !hasTerminal(source)) return false;
  if (what.type === 'look' || what.type === 'explain' || !follower.lacksHistory(what.historyLines)) return false;
  pasts.add({ request, source, what, end: follower.offset });
  return true;
}

function describeNow({ source, what }: Question, follower: Follower): ScreenAnswer {
  if (what.type === 'look') return { type: 'look', look: lookAt(follower, steadyNow()) };
  if (what.type === 'explain') {
    const { tracker } = follower;
    if (!tracker) return explanation(source);
    tracker.look(steadyNow());
    return { type: 'explain', status: shownStatus(tracker.status), history: tracker.past() };
  }
  if (!(follower instanceof ScreenFollower)) throw new Error('the session has no screen');
  if (what.type === 'grid') {
    const { model, offset } = follower.moment();
    return { type: 'grid', offset, ...grids.take(source.id, model, what.stamp) };
  }
  if (what.type === 'shown') {
    const { model, offset } = follower.moment();
    return { type: 'shown', offset, text: renderAnsi(model), scrolled: follower.scrolled };
  }
  return describe(what, follower.moment(), follower.isExact, timeOf(follower.log, follower.offset));
}

function explanation({ folder }: ScreenSource): ScreenAnswer {
  return { type: 'explain', status: null, history: new History(folder).read() };
}

function answer({ request }: Pick<Question, 'request'>, make: () => ScreenAnswer): void {
  try {
    emit({ type: 'answer', request, answer: make() });
  } catch (error) {
    const { message: reason, code } = error as NodeJS.ErrnoException;
    emit({ type: 'failed', request, reason, code });
  }
}

function dropModels(): void {
  const now = steadyNow();
  if (Math.abs(now - checkedAt) >= CHECK_EVERY_MS) checkBudget(now);
}

function checkBudget(now: number): void {
  checkedAt = now;
  for (const follower of surplusModels(followers.values(), now)) attempt(follower.id, () => follower.drop());
  const holding = [...followers.values()].filter((follower) => follower.holdsFiles);
  if (holding.length <= openLogsMax) return;
  holding.sort((one, other) => one.readAt - other.readAt);
  for (const follower of holding.slice(0, holding.length - openLogsMax)) follower.releaseFiles();
}

function openFilesMax(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? OPEN_LOGS_MAX);
}

function emit(message: FromScreens): void {
  port.postMessage(message);
}
