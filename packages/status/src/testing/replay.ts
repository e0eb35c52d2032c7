/**
 * Plays a recording to a reducer as the daemon would: events and bytes as they came, a sample when a burst has settled or 150 ms
 * have passed, a tick when the reducer asked for one; all at the recording's own times.
 */
import type { Status } from '@spool/protocol';
import { type OscEvent, OutputFollower } from '@spool/vt';
import { ScreenModel } from '@spool/screen';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { StatusReducer } from '../reducer.ts';
import type { RuleSet } from '../rules.ts';
import { endsWithEnter } from '../sources/draft.ts';
import type { ScreenView } from '../sources/screen-lines.ts';
import type { TapeEvent, StatusRecording } from './recordings.ts';

export interface ReplayOptions {
  /** The rules (default: the built-in ones). */
  readonly rules?: readonly RuleSet[];
  /** Returns whether events of this kind are withheld; for titles, also the one in the view. */
  readonly withholds?: (fact: OscEvent) => boolean;
  /** Whether to sample after each read instead of after each burst. */
  readonly looksAlways?: boolean;
  /** Called after each event and each sample or tick in between, with the milliseconds of the recording. */
  onStep?(ms: number, status: Status): void;
  /** Called after each event, with the time that the recording has reached. */
  onEvent?(event: TapeEvent, status: Status, view: () => ScreenView): void;
}

const BURST_MS = 30;
const FLOW_MS = 150;
const STARTED_AT = 1_700_000_000_000;

export function replay(recording: StatusRecording, options: ReplayOptions = {}): StatusReducer {
  const { rules = BUILT_IN_RULES, withholds = () => false, looksAlways = false } = options;
  const model = new ScreenModel(recording, { scrollback: 100 });
  const reducer = new StatusReducer({ rules, command: recording.command, startedAt: STARTED_AT });
  let [now, offset, title] = [STARTED_AT, 0, ''];
  const follower = new OutputFollower({
    onOscEvent: (fact) => {
      if (withholds(fact)) return;
      if (fact.type === 'title-changed') title = fact.title;
      reducer.fact(fact, now);
    },
  });
  const view = (): ScreenView => {
    const { row, col, isVisible } = model.cursor;
    return {
      lines: model.text(),
      cursor: { row, col },
      isCursorVisible: isVisible,
      isAlternate: model.isAlternate,
      title,
      textAboveCursor: model.textAboveCursor(),
      backgroundAt: (at, column) => model.backgroundAt(at, column),
    };
  };
  let [firstAt, lastAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const lookAt = (): number => Math.min(firstAt + FLOW_MS, lastAt + BURST_MS);
  const look = (at: number): void => {
    reducer.screen(view(), at, offset);
    firstAt = lastAt = Number.POSITIVE_INFINITY;
  };
  const passUntil = (until: number): void => {
    for (;;) {
      const checkAt = reducer.nextCheckAt ?? Number.POSITIVE_INFINITY;
      const at = Math.min(checkAt, lookAt());
      if (at > until) return;
      if (lookAt() <= at) look(at);
      else reducer.tick(at);
      if (reducer.nextCheckAt !== null && reducer.nextCheckAt <= at) throw new Error('a check that asks for itself');
      options.onStep?.(at - STARTED_AT, reducer.status);
    }
  };
  for (const event of recording.events) {
    now = STARTED_AT + event[0];
    passUntil(now);
    if (event[1] === 'o') {
      const piece = recording.bytes.subarray(offset, offset + event[2]);
      offset += piece.length;
      model.write(piece);
      follower.feed(piece);
      reducer.output(piece.length, now, offset);
      [firstAt, lastAt] = [Math.min(firstAt, now), now];
      if (looksAlways) look(now);
    } else if (event[1] === 'i') reducer.typed(now, endsWithEnter(event[2]));
    else if (event[1] === 'r') {
      model.resize(event[2], event[3]);
      [firstAt, lastAt] = [Math.min(firstAt, now), now];
    } else if (event[1] === 'x') reducer.exited(now, offset, event[2], event[3] ? `signal ${event[3]}` : null);
    // The daemon would take a sample a moment later; the mark describes that one.
    if (event[1] === 'm' && lookAt() < Number.POSITIVE_INFINITY) look(now);
    options.onStep?.(event[0], reducer.status);
    options.onEvent?.(event, reducer.status, view);
  }
  return reducer;
}
