/** The past of a session: a line over its whole life, the exact screen at any moment, and a player. */
import type { SessionInfo } from '@spool/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { addressOf } from '../shell/route.ts';
import { useTheme } from '../shell/theme.ts';
import { newEmulator } from '../terminal/emulator.ts';
import { fontSizeFor } from '../terminal/zoom.ts';
import { heat, nextOutputAfter, offsetAt, type Timeline, timelineOf, timeAt } from './timeline.ts';
import { downloadCast, downloadHtml, downloadText } from './exports.ts';
import { PastScreenView } from './past-screen.ts';

const HEAT_PARTS = 160;
const SPEEDS = [1, 4, 16] as const;
const FRAME_MS = 100;
/** The length of a pause from which on the player skips it. */
const SILENCE_MS = 2_000;

interface TimeViewProps {
  readonly session: SessionInfo;
  /** The moment that the address names; null: the present. */
  readonly offset: number | null;
  /** The line that is marked at that moment. */
  readonly find: string | null;
}

export function TimeView({ session, offset, find }: TimeViewProps) {
  const [timeline, setTimeline] = useState<Timeline | null>(null);
  const [at, setAt] = useState(0);
  const [shown, setShown] = useState<{ readonly offset: number; readonly at: number } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [speed, setSpeed] = useState<number | null>(null);
  const [skipsSilence, setSkipsSilence] = useState(true);
  const { pane, screen } = useEmulator(session.id);
  const saving = (work: Promise<void>): void => void work.catch((error: unknown) => setTrouble(sentenceOf(error)));

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
    // Loaded once for a session: a line that grows during a drag would move under the finger.
  }, [session.id]);

  useEffect(() => {
    const past = screen.current;
    if (past === null) return;
    past.onShown = (reached, time) => {
      setShown({ offset: reached, at: time });
      if (find !== null && past.shownFor === offset) past.mark(find);
    };
    past.onTrouble = setTrouble;
  }, [screen, timeline, find, offset]);

  // The address names a moment: the first one, and each that a link leads to.
  useEffect(() => {
    if (timeline === null) return;
    setAt(offset === null ? timeline.endAt : timeAt(timeline, offset));
    screen.current?.show(offset ?? timeline.endOffset);
  }, [timeline, offset, screen]);

  const seek = useCallback(
    (time: number) => {
      if (timeline === null) return;
      setAt(time);
      screen.current?.show(offsetAt(timeline, time));
    },
    [timeline, screen],
  );

  usePlayer({ timeline, at, speed, skipsSilence, seek, onEnd: () => setSpeed(null) });

  return (
    <div className="time-view" data-offset={shown?.offset}>
      <div className="terminal-pane" ref={pane} />
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
      {timeline !== null && (
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
            <output className="mono one-line">{shown === null ? '' : new Date(shown.at).toLocaleString()}</output>
            {shown !== null && (
              <a href={addressOf({ page: 'session', id: session.id, view: 'time', offset: shown.offset })}>
                Link to this moment
              </a>
            )}
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
      )}
    </div>
  );
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

function useEmulator(id: string) {
  const pane = useRef<HTMLDivElement>(null);
  const screen = useRef<PastScreenView | null>(null);
  useEffect(() => {
    const box = pane.current!;
    const emulator = newEmulator({ fontSize: 14, theme: useTheme.getState().theme });
    emulator.options.disableStdin = true;
    emulator.open(box);
    const fit = (): void => {
      emulator.options.fontSize = fontSizeFor(emulator.cols, box.clientWidth);
    };
    const resized = emulator.onResize(fit);
    const observer = new ResizeObserver(fit);
    observer.observe(box);
    screen.current = new PastScreenView(client, id, emulator);
    return () => {
      screen.current?.close();
      screen.current = null;
      resized.dispose();
      observer.disconnect();
      emulator.dispose();
    };
  }, [id]);
  return { pane, screen };
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
