/**
 * The emulator in the page. The whole width of the session is shown, by a smaller or larger type within readable limits;
 * where that is not enough, the pane scrolls.
 */
import { useEffect, useRef } from 'react';
import { client } from '../link/daemon.ts';
import { useTheme } from '../shell/theme.ts';
import { newEmulator, setTheme } from './emulator.ts';
import { SessionView, type ViewListener } from './session-view.ts';
import { fontSizeFor } from './zoom.ts';

export interface TerminalPaneProps extends ViewListener {
  readonly id: string;
  /** Called with the live view, and with null when it closes. */
  readonly onView: (view: SessionView | null) => void;
}

export function TerminalPane(props: TerminalPaneProps) {
  const { id } = props;
  const pane = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme((now) => now.theme);
  const terminal = useRef<ReturnType<typeof newEmulator> | null>(null);

  useEffect(() => {
    const box = pane.current!;
    const emulator = newEmulator({ fontSize: 14, theme: useTheme.getState().theme });
    terminal.current = emulator;
    emulator.open(box);
    const fit = (): void => {
      emulator.options.fontSize = fontSizeFor(emulator.cols, box.clientWidth);
    };
    const view = new SessionView(client, id, emulator, {
      onState: (state) => latest.current.onState(state),
      onViewers: (count) => latest.current.onViewers(count),
      onSize: (size) => {
        fit();
        latest.current.onSize(size);
      },
    });
    latest.current.onView(view);
    const observer = new ResizeObserver(fit);
    observer.observe(box);
    if (matchMedia('(pointer: fine)').matches) emulator.focus();
    return () => {
      observer.disconnect();
      view.close();
      emulator.dispose();
      terminal.current = null;
      latest.current.onView(null);
    };
  }, [id]);

  useEffect(() => {
    if (terminal.current !== null) setTheme(terminal.current, theme);
  }, [theme]);

  return <div className="terminal-pane" ref={pane} />;
}
