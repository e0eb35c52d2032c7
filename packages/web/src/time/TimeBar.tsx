/**
 * A line over the whole life of a session: its output, its states and milestones. It sets the moment of all panes, and can play.
 */
import type { SessionInfo } from '@spool/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { addressOf } from '../shell/route.ts';
import { downloadCast, downloadHtml, downloadText } from './exports.ts';
import { useMoment } from './moment.ts';
import { heat, nextOutputAfter, offsetAt, type Timeline, timelineOf, timeAt } from './timeline.ts';

const HEAT_PARTS = 160;
const SPEEDS = [1, 4, 16] as const;
const FRAME_MS = 100;
/** The length from which on the player skips a pause. */
const SILENCE_MS = 2_000;

/** A screen of the past. */
export interface ShownScreen {
  readonly offset: number;
  readonly at: number;
}

interface TimeBarProps {
  readonly session: SessionInfo;
  /** The screen that is shown; null for an agent without a terminal, and until the first screen is shown. */
  readonly shown: ShownScreen | null;
  readonly hasScreens: boolean;
}

export function TimeBar({ session, shown, hasScreens }: TimeBarProps) {
  const { moment, setMoment } = useMoment();
  const { timeline, trouble, setTrouble } = useTimeline(session);
  const [speed, setSpeed] = useState<number | null>(null);
  const [skipsSilence, setSkipsSilence] = useState(true);
  const saving = (work: Promise<void>): void => void work.catch((error: unknown) => setTrouble(sentenceOf(error)));
  const seek = useCallback(
    (time: number) => {
      if (timeline !== null) setMoment({ at: time, offset: offsetAt(timeline, time), event: null });
    },
    [timeline, setMoment],
  );
  const at = timeline === null ? 0 : placeOf(timeline, moment);
  usePlayer({ timeline, at, speed, skipsSilence, seek, onEnd: () => setSpeed(null) });
  if (trouble !== null)
    return (
      <p className="link-notice" role="alert">
        {trouble}
      </p>
    );
  if (timeline === null) return null;
  const shownAt = shown?.at ?? (hasScreens ? null : at);
  return (
    <div className="time-line">
      <div className="time-row">
        <button
          type="button"
          className="button"
          onClick={() => {
            if (speed === null && at >= timeline.endAt) seek(timeline.startAt);
            setSpeed(speed === null ? SPEEDS[0] : null);
          }}
        >
          {speed === null ? 'Play' : 'Pause'}
        </button>
        <span className="segments" role="group" aria-label="Speed">
          {SPEEDS.map((each) => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={speed === each}
              onClick={() => setSpeed(each)}
            >
              {each}×
            </button>
          ))}
        </span>
        <button
          type="button"
          className="button"
          aria-pressed={skipsSilence}
          onClick={() => setSkipsSilence(!skipsSilence)}
        >
          Skip idle
        </button>
        <output className="mono one-line">{shownAt === null ? '' : new Date(shownAt).toLocaleString()}</output>
        {shown !== null && (
          <a href={addressOf({ page: 'session', id: session.id, view: 'time', offset: shown.offset })}>
            Link to this moment
          </a>
        )}
        {hasScreens && (
          <details className="menu up">
            <summary className="button">Save</summary>
            <div className="menu-list">
              <button type="button" onClick={() => saving(downloadCast(session))}>
                Recording (asciicast)
              </button>
              <button type="button" onClick={() => saving(downloadText(session))}>
                Text
              </button>
              {shown !== null && (
                <button type="button" onClick={() => saving(downloadHtml(session, shown.offset))}>
                  This screen (HTML)
                </button>
              )}
            </div>
          </details>
        )}
      </div>
      <Heat timeline={timeline} />
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={new Date(at).toLocaleString()}
        min={timeline.startAt}
        max={timeline.endAt}
        step={1}
        value={at}
        onChange={(event) => {
          setSpeed(null);
          seek(Number(event.target.value));
        }}
      />
      <Notes timeline={timeline} onSeek={seek} />
    </div>
  );
}

function placeOf(timeline: Timeline, moment: ReturnType<typeof useMoment>['moment']): number {
  if (moment === null) return timeline.endAt;
  return moment.at ?? (moment.offset === null ? timeline.endAt : timeAt(timeline, moment.offset));
}

function useTimeline(session: SessionInfo) {
  const [timeline, setTimeline] = useState<Timeline | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    load(session).then(
      (line) => {
        if (isCurrent) setTimeline(line);
      },
      (error: unknown) => setTrouble(sentenceOf(error)),
    );
    return () => {
      isCurrent = false;
    };
    // Loaded once for a session, because a line that grows during a drag would move under the finger.
  }, [session.id]);
  return { timeline, trouble, setTrouble };
}

function Heat({ timeline }: { readonly timeline: Timeline }) {
  return (
    <svg className="heat" viewBox={`0 0 ${HEAT_PARTS} 24`} preserveAspectRatio="none" aria-hidden="true">
      {heat(timeline, HEAT_PARTS).map((share, part) => (
        <rect key={part} x={part} y={24 - share * 24} width={0.8} height={share * 24} />
      ))}
      {timeline.notes.map((note, index) => (
        <rect
          key={`note ${index}`}
          className="note-mark"
          data-kind={note.kind}
          x={((note.at - timeline.startAt) / (timeline.endAt - timeline.startAt)) * HEAT_PARTS}
          y={0}
          width={0.5}
          height={24}
        />
      ))}
    </svg>
  );
}

function Notes({ timeline, onSeek }: { readonly timeline: Timeline; readonly onSeek: (at: number) => void }) {
  if (timeline.notes.length === 0) return null;
  return (
    <ol className="notes" aria-label="What happened">
      {timeline.notes.map((note, index) => (
        <li key={index}>
          <button type="button" data-kind={note.kind} onClick={() => onSeek(note.at)}>
            <time>{new Date(note.at).toLocaleTimeString()}</time> <span className="one-line">{note.text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function usePlayer(options: {
  readonly timeline: Timeline | null;
  readonly at: number;
  readonly speed: number | null;
  readonly skipsSilence: boolean;
  readonly seek: (at: number) => void;
  readonly onEnd: () => void;
}): void {
  const latest = useRef(options);
  latest.current = options;
  const { speed } = options;
  useEffect(() => {
    if (speed === null) return;
    const timer = setInterval(() => {
      const { timeline, at, skipsSilence, seek, onEnd } = latest.current;
      if (timeline === null) return;
      const next = nextOutputAfter(timeline, at);
      const step = at + FRAME_MS * speed;
      if (next === null || step >= timeline.endAt) {
        seek(timeline.endAt);
        onEnd();
      } else seek(skipsSilence && next - at > SILENCE_MS * speed ? next : step);
    }, FRAME_MS);
    return () => clearInterval(timer);
  }, [speed]);
}

async function load(session: SessionInfo): Promise<Timeline> {
  const marks = [];
  for await (const mark of client.marks(session.id)) marks.push(mark);
  const { history } = await client.explain(session.id);
  const { offset, lastOutputAt } = await client.get(session.id);
  const endAt = session.endedAt ?? Date.now();
  return timelineOf({ startedAt: session.startedAt, endAt, endOffset: offset, lastOutputAt }, marks, history);
}
