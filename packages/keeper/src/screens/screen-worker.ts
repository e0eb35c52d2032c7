/**
 * The thread for screens: follows every running session at its own pace, in turns, and answers questions about any screen
 * of the past. Its priority is low: bytes come first, pictures after.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Log } from '@spool/core';
import { renderAnsi, renderHtml, renderJson, renderText, type ScreenModel, snapshot } from '@spool/core/screen';
import type { ScreenFormat } from '@spool/protocol';
import { Keyframes } from './keyframes.ts';
import type { FromScreens, ScreenAnswer, ScreenAsk, ScreenSource, ToScreens } from './messages.ts';
import { ScreenFollower } from './screen-follower.ts';
import { modelAt, type Moment } from './timeline.ts';

/** Models kept in memory, some 1 MB each; the others wait as keyframes on disk. */
const MODELS_MAX = 24;

/** Whoever asks for the screen of a session that is being flooded gets the one of a moment ago, rather than wait. */
const PATIENCE_MS = 50;

const NICENESS = 5;

interface Question {
  readonly request: number;
  readonly what: ScreenAsk;
  readonly end: number;
  readonly askedAt: number;
}

const port = parentPort!;
/** In the order of use: a Map remembers insertion. */
const followers = new Map<string, ScreenFollower>();
const questions = new Map<string, Question[]>();
let isScheduled = false;

setPriority(NICENESS); // of this thread alone, on Linux
port.on('message', (message: ToScreens) => {
  hear(message);
  schedule();
});

function hear(message: ToScreens): void {
  switch (message.type) {
    case 'follow': {
      const { id } = message.source;
      followers.set(
        id,
        new ScreenFollower(message.source, message.end, message.answeredTo, {
          onAnswers: (bytes, upTo) => tell({ type: 'answers', id, bytes, upTo }),
          onFocusMode: (reportsFocus) => tell({ type: 'modes', id, reportsFocus }),
        }),
      );
      return;
    }
    case 'grown':
      followers.get(message.id)?.grown(message.end);
      return;
    case 'resized':
      followers.get(message.id)?.resized(message.offset, message.size);
      return;
    case 'colours':
      followers.get(message.id)?.setColours(message.colours);
      return;
    case 'forget':
      followers.get(message.id)?.drop();
      followers.get(message.id)?.close();
      followers.delete(message.id);
      return;
    case 'ask':
      return ask(message.source, message);
  }
}

function ask(source: ScreenSource, { request, what, end }: Omit<Question, 'askedAt'>): void {
  const follower = followers.get(source.id);
  const isPast = what.type === 'screen' && what.at !== null;
  if (!follower || isPast) return answerFromLog(source, request, what, end);
  follower.grown(end);
  const waiting = questions.get(source.id) ?? [];
  waiting.push({ request, what, end, askedAt: performance.now() });
  questions.set(source.id, waiting);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(work);
}

/** One turn for each session that has something to be followed; then let messages in. */
function work(): void {
  isScheduled = false;
  for (const [id, follower] of [...followers]) {
    if (follower.isBehind) {
      follower.turn();
      followers.delete(id);
      followers.set(id, follower);
      if (!follower.isBehind) tell({ type: 'followed', id, offset: follower.offset });
      else schedule();
    }
    answerWaiting(id, follower);
  }
  dropModels();
}

function answerWaiting(id: string, follower: ScreenFollower): void {
  const waiting = questions.get(id);
  if (!waiting) return;
  const rest = waiting.filter((question) => {
    const isTime = follower.offset >= question.end || performance.now() - question.askedAt > PATIENCE_MS;
    if (isTime)
      answer(question, () =>
        describe(question.what, follower.moment(), follower.isExact, timeOf(follower.log, follower.offset)),
      );
    return !isTime;
  });
  if (rest.length === 0) questions.delete(id);
  else questions.set(id, rest);
}

/** The past, or a session that has ended: a model of its own, for this one question. */
function answerFromLog(source: ScreenSource, request: number, what: ScreenAsk, end: number): void {
  answer({ request }, () => {
    using log = Log.open(`${source.folder}/log`, { readOnly: true });
    const at = what.type === 'screen' ? what.at : null;
    const wanted = at === null ? end : 'offset' in at ? at.offset : log.offsetAt(at.time);
    const moment = modelAt(log, new Keyframes(source.folder), Math.min(wanted, log.end), source.firstSize);
    try {
      return describe(what, moment, true, timeOf(log, moment.offset));
    } finally {
      moment.model.dispose();
    }
  });
}

const RENDERERS: Record<ScreenFormat, (model: ScreenModel, options: { history: number }) => string> = {
  text: renderText,
  ansi: renderAnsi,
  html: renderHtml,
  json: (model, options) => JSON.stringify(renderJson(model, options)),
};

function describe(what: ScreenAsk, { model, offset }: Moment, isExact: boolean, at: number): ScreenAnswer {
  if (what.type === 'snapshot')
    return { type: 'snapshot', offset, bytes: snapshot(model, { history: what.historyLines }) };
  const { cols, rows } = model.size;
  const content = RENDERERS[what.format](model, { history: what.historyLines });
  return { type: 'screen', offset, at, cols, rows, isExact, title: model.modes.title, content };
}

function timeOf(log: Log, offset: number): number {
  return log.timeAt(Math.max(log.start, offset - 1)) ?? 0;
}

function answer({ request }: Pick<Question, 'request'>, make: () => ScreenAnswer): void {
  try {
    tell({ type: 'answer', request, answer: make() });
  } catch (error) {
    tell({ type: 'failed', request, reason: (error as Error).message });
  }
}

function dropModels(): void {
  let surplus = followers.size - MODELS_MAX;
  for (const follower of followers.values()) {
    if (surplus-- <= 0) return;
    if (!follower.isBehind) follower.drop();
  }
}

function tell(message: FromScreens): void {
  port.postMessage(message);
}
