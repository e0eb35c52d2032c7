/** The terminal at a moment of its past: the exact screen, and the line over the whole life of the session. Keeps CARD-12. */
import type { SessionInfo } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../link/daemon.ts';
import { useTheme } from '../shell/theme.ts';
import { newEmulator } from '../terminal/emulator.ts';
import { fontSizeFor } from '../terminal/zoom.ts';
import { useMoment } from './moment.ts';
import { PastScreenView } from './past-screen.ts';
import { type ShownScreen, TimeBar } from './TimeBar.tsx';

interface TimeViewProps {
  readonly session: SessionInfo;
  /** The moment in the address; null for the moment of the other panes, or the present. */
  readonly offset: number | null;
  /** The line that is marked at that moment. */
  readonly find: string | null;
}

export function TimeView({ session, offset, find }: TimeViewProps) {
  const { moment, setMoment } = useMoment();
  const [shown, setShown] = useState<ShownScreen | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const { pane, screen } = useEmulator(session.id);
  const latest = useRef(moment);
  latest.current = moment;

  useEffect(() => {
    const past = screen.current!;
    past.onShown = (reached, time) => {
      setShown({ offset: reached, at: time });
      const now = latest.current;
      if (now !== null && now.at === null) setMoment({ ...now, at: time });
      if (find !== null && past.shownFor === offset) past.mark(find);
    };
    past.onTrouble = setTrouble;
  }, [screen, session.id, find, offset, setMoment]);

  // The address names a moment: the first one, and each one that a link leads to.
  useEffect(() => {
    if (offset !== null) setMoment({ at: null, offset, event: null });
  }, [session.id, offset, setMoment]);

  const isOfAddress = offset !== null && moment === null;
  const time = moment === null || moment.offset !== null ? null : moment.at;
  useEffect(() => {
    if (isOfAddress) return; // it has been set by now
    if (moment === null) screen.current!.show('now');
    else if (moment.offset !== null) screen.current!.show({ offset: moment.offset });
    else if (moment.at !== null) screen.current!.show({ time: moment.at });
  }, [screen, session.id, isOfAddress, moment === null, moment?.offset, time]);

  return (
    <div className="time-view" data-offset={shown?.offset}>
      <div className="terminal-pane" ref={pane} />
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
      <TimeBar {...{ session, shown }} hasScreens />
    </div>
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
