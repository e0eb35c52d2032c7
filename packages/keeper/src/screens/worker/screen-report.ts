/** Looks at a session for a client that is about to type: reports its screen, and whether it shows a question. */
import { cursorLineOf, type ScreenModel, solidText } from '@spool/screen';
import type { Question } from '@spool/protocol';
import { encodeKey, INITIAL_MODES } from '@spool/vt';
import type { Follower } from './follower.ts';
import type { StatusTracker } from '../insight/status-tracker.ts';
import type { AskedQuestion, ScreenReport } from '../messages.ts';
import { ScreenFollower } from './screen-follower.ts';

/** Looks now, even if output continues. */
export function reportScreen(follower: Follower, now: number): ScreenReport {
  const tracker = follower.begin();
  tracker.look(now);
  const { status, asks, isUnsettled, shown } = tracker;
  const screen = follower instanceof ScreenFollower ? follower : null;
  const model = screen?.moment().model;
  return {
    offset: follower.offset,
    isExact: screen?.isExact ?? true,
    state: status.state,
    kind: status.kind,
    agent: status.agent,
    source: status.source,
    isAlternate: shown.isAlternate,
    asks,
    question: asks === null || tracker.isPending ? null : locateQuestion(status.question, model),
    isUnsettled,
    bracketedPaste: model?.modes.bracketedPaste ?? false,
    hasInputRules: tracker.hasInputRules,
    input: model ? inputOf(tracker, model) : null,
    lines: shown.lines,
    cursorRow: shown.cursor.row,
  };
}

function locateQuestion(question: Question | undefined, model: ScreenModel | undefined): AskedQuestion | null {
  if (!question) return null;
  const modes = model?.modes ?? INITIAL_MODES;
  const options = question.options.map(({ label, key }) => {
    const keys = (key ?? '').split(' ').flatMap((name) => {
      const bytes = name === '' ? undefined : encodeKey(name, modes);
      return bytes ? [{ name, bytes }] : [];
    });
    return { label, keys: keys.length === 0 ? null : keys };
  });
  return { text: question.text, subject: question.subject, options };
}

function inputOf(tracker: StatusTracker, model: ScreenModel): ScreenReport['input'] {
  const view = { lines: model.plainLines(), solid: model.lines().map(solidText), cursor: model.cursor };
  const { before, behind } = cursorLineOf(model);
  // After the cursor there may also be a second prompt, at the right edge; typed text starts directly at the cursor.
  const found = tracker.inputLine(view, /^\S/.test(behind) ? before + behind : before);
  if (found === null) return null;
  const { modes } = model;
  return { text: found.text, rows: found.rows, clear: found.clear.map((name) => encodeKey(name, modes)!) };
}
