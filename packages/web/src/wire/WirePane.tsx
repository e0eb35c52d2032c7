/**
 * The lines of an agent's wire: raw, and as a tree once a line is opened. A line leads to its moment in the other panes, and a
 * moment to its line. Keeps CARD-12 and CARD-13.
 */
import type { SessionInfo } from '@spool/client';
import { isHeadless } from '@spool/protocol';
import { visible } from '@spool/render';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CopyButton } from '../cards/CopyButton.tsx';
import { ValueTree } from '../cards/ValueTree.tsx';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { type Moment, useMoment } from '../time/moment.ts';
import { WireLog, type WireLine } from './wire-log.ts';
import { lineBy, lineTitle } from './wire-words.ts';

/** The interval of rendering while lines arrive. */
const SHOW_EVERY_MS = 100;
const NEAR_END_PX = 40;
const NEAR_START_PX = 200;
/** The characters of a raw line in its row. */
const ROW_CHARACTERS = 240;

export function WirePane({ session }: { readonly session: SessionInfo }) {
  const isWire = isHeadless(session);
  const { log, trouble } = useWireLog(session.id, isWire);
  const { moment, setMoment } = useMoment();
  const { lines, isLoaded, hasOlder, isLive } = log.state;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const marked = moment === null ? null : lineBy(lines, moment, isWire);
  useEffect(() => {
    if (moment === null) {
      isAtEnd.current = true;
      if (!log.state.isLive) void log.follow().catch(() => {});
    } else if (isWire && moment.offset !== null) void log.show(moment.offset).catch(() => {});
  }, [log, isWire, moment === null, moment?.offset]);
  useKeptLine(box, lines[0]?.offset, isAtEnd);
  useLayoutEffect(() => {
    if (moment === null && isAtEnd.current) box.current!.scrollTop = box.current!.scrollHeight;
  }, [lines, moment === null]);
  useLayoutEffect(() => {
    if (marked === null) return;
    isAtEnd.current = false;
    box.current!.querySelector('[data-target]')?.scrollIntoView({ block: 'center' });
  }, [marked]);
  const press = (line: WireLine): void => {
    const key = keyOf(line);
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
    setMoment(momentOf(line, isWire));
  };
  return (
    <div className="wire-pane">
      {trouble !== null && <p role="alert">{trouble}</p>}
      <div
        className="wire-lines"
        ref={box}
        role="log"
        tabIndex={0}
        aria-label="Wire"
        aria-live="off"
        onScroll={({ currentTarget: at }) => {
          isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - NEAR_END_PX;
          if (at.scrollTop < NEAR_START_PX && hasOlder) void log.readOlder().catch(() => {});
        }}
      >
        <p className="quiet wire-note">
          {!isLoaded
            ? 'Loading…'
            : lines.length === 0
              ? 'No lines yet'
              : isWire
                ? 'What the agent wrote, line by line, as it was recorded'
                : 'What the agent reported beside its terminal, event by event'}
        </p>
        {lines.map((line) => {
          const key = keyOf(line);
          return <WireRow key={key} line={line} isOpen={opened.has(key)} isMarked={line === marked} onPress={press} />;
        })}
        {!isLive && (
          <button
            type="button"
            className="button plain"
            onClick={() => {
              isAtEnd.current = true;
              if (moment === null) void log.follow().catch(() => {});
              else setMoment(null);
            }}
          >
            To the end
          </button>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  readonly line: WireLine;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  readonly onPress: (line: WireLine) => void;
}

const WireRow = memo(
  function WireRow({ line, isOpen, isMarked, onPress }: RowProps) {
    const value = isOpen ? parsed(line) : undefined;
    return (
      <div className="wire-line" data-offset={line.offset} data-target={isMarked || undefined}>
        <button type="button" aria-expanded={isOpen} onClick={() => onPress(line)}>
          {line.at !== null && <time>{new Date(line.at).toLocaleTimeString()}</time>}
          <b>{lineTitle(line.text)}</b>{' '}
          <span className="mono one-line">{visible(line.text.slice(0, ROW_CHARACTERS))}</span>
        </button>
        {isOpen && (
          <div className="wire-body">
            <CopyButton text={() => line.text} label="Copy the line" />
            {value === undefined ? <p className="mono">{visible(line.text)}</p> : <ValueTree value={value} />}
            {line.isCut && <p className="quiet">The rest of this line is in the log</p>}
          </div>
        )}
      </div>
    );
  },
  (before, after) => before.line === after.line && before.isOpen === after.isOpen && before.isMarked === after.isMarked,
);

const keyOf = ({ offset, event }: WireLine): string => `${offset} ${event ?? ''}`;

const momentOf = ({ offset, at, event }: WireLine, isWire: boolean): Moment => ({
  at,
  offset: isWire ? offset : null,
  event,
});

function parsed({ text, isCut }: WireLine): unknown {
  if (isCut) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // an agent may print other lines
  }
}

function useWireLog(id: string, isWire: boolean) {
  const [now, setNow] = useState<{ log: WireLog; trouble: string | null }>(() => ({
    log: new WireLog(client, id, isWire, () => {}),
    trouble: null,
  }));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let trouble: string | null = null;
    const show = (): void => {
      timer = undefined;
      setNow({ log, trouble });
    };
    const log = new WireLog(client, id, isWire, () => (timer ??= setTimeout(show, SHOW_EVERY_MS)));
    setNow({ log, trouble });
    log.follow().catch((error: unknown) => {
      if (log.isClosed) return;
      trouble = sentenceOf(error);
      show();
    });
    return () => {
      log.close();
      clearTimeout(timer);
    };
  }, [id, isWire]);
  return now;
}

/** Keeps the lines in view where they are when older ones are added above them. */
function useKeptLine(
  box: React.RefObject<HTMLDivElement | null>,
  first: number | undefined,
  isAtEnd: React.RefObject<boolean>,
): void {
  const heightBefore = box.current?.scrollHeight ?? 0;
  const shown = useRef(first);
  useLayoutEffect(() => {
    const isOlder = first !== undefined && shown.current !== undefined && first < shown.current;
    shown.current = first;
    if (isOlder && !isAtEnd.current) box.current!.scrollTop += box.current!.scrollHeight - heightBefore;
  }, [first]);
}
