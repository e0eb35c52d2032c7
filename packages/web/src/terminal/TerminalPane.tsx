/**
 * The emulator in the page. The whole width of the session is shown, by a smaller or larger font within readable limits, or at
 * the size that the user chose; if that is not enough, the pane scrolls, and keeps the cursor in sight. Keeps PAGE-12 and
 * PAGE-51.
 */
import type { Size } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../link/daemon.ts';
import { sentenceOf } from '../link/ask-gateway.ts';
import { useTheme } from '../shell/theme.ts';
import { noteRead } from '../wall/unread.ts';
import { ring } from './bell.ts';
import { copy, onCopyAsked } from './clipboard.ts';
import { useClipboardKeys } from './clipboard-keys.ts';
import { hidesCursor, newEmulator, setTheme } from './emulator.ts';
import { selectByHold } from './hold.ts';
import { provideLinks } from './link-provider.ts';
import { openLink } from './open-link.ts';
import { SessionView, type ViewListener } from './session-view.ts';
import { quotePath, uploadFile } from './uploads.ts';
import { fontSizeFor, sizeFor } from './zoom.ts';

export interface PaneControls {
  readonly view: SessionView;
  /** Returns the size at which the session would fill the pane. */
  fitting(): Size;
  focus(): void;
}

export interface TerminalPaneProps extends ViewListener {
  readonly id: string;
  readonly cwd: string;
  /** Whether the session has ended: its last screen takes no keys. */
  readonly isEnded: boolean;
  /** The font size; null means that the whole width fits. */
  readonly fontPx: number | null;
  /** Called with the live pane, and with null when it closes. */
  readonly onControls: (controls: PaneControls | null) => void;
}

export function TerminalPane(props: TerminalPaneProps) {
  const { id, fontPx } = props;
  const pane = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme((now) => now.theme);
  const terminal = useRef<ReturnType<typeof newEmulator> | null>(null);
  const refit = useRef(() => {});
  const [copyAsked, setCopyAsked] = useState<string | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [notice, setNotice] = useState<string | null>(null);

  useEffect(() => {
    const box = pane.current!;
    const emulator = newEmulator({
      fontSize: 14,
      theme: useTheme.getState().theme,
      onLink: (address) => openLink({ type: 'url', start: 0, end: 0, url: address }, id),
    });
    terminal.current = emulator;
    emulator.open(box);
    provideLinks(
      emulator,
      () => latest.current.cwd,
      (link) => openLink(link, id),
    );
    onCopyAsked(emulator, setCopyAsked);
    useClipboardKeys(emulator, {
      onLiteral: (key) => view.press(key),
      onTrouble: (error) => setNotice(sentenceOf(error)),
    });
    const fit = (): void => {
      emulator.options.fontSize = latest.current.fontPx ?? fontSizeFor(emulator.cols, box.clientWidth);
      keepCursorInSight(emulator, box);
      // Repeated after the layout of the new font.
      requestAnimationFrame(() => keepCursorInSight(emulator, box));
    };
    refit.current = fit;
    const view = new SessionView(client, id, emulator, {
      onState: (state) => latest.current.onState(state),
      onViewers: (viewers) => latest.current.onViewers(viewers),
      onSize: (size) => {
        fit();
        latest.current.onSize(size);
      },
    });
    const rung = emulator.onBell(() => ring(box));
    const moved = emulator.onCursorMove(() => keepCursorInSight(emulator, box));
    latest.current.onControls({
      view,
      fitting: () => sizeFor(box.clientWidth, box.clientHeight),
      focus: () => emulator.focus(),
    });
    const observer = new ResizeObserver(fit);
    observer.observe(box);
    const stopTouch = scrollByTouch(emulator, box);
    const stopHold = selectByHold(box, setSelected);
    const stopFiles = takeFiles(box, async (files) => {
      try {
        for (const file of files) {
          setNotice(`Uploading ${file.name}…`);
          view.paste(`${quotePath(await uploadFile(id, file))} `);
        }
        setNotice(null);
      } catch (error) {
        setNotice(sentenceOf(error));
      }
    });
    // A question that the user came for keeps the focus.
    const isAsked = document.activeElement?.closest('.ask') !== null && document.activeElement !== null;
    if (!latest.current.isEnded && !isAsked && matchMedia('(pointer: fine)').matches) emulator.focus();
    return () => {
      noteRead(id, view.shownOffset);
      stopFiles();
      stopTouch();
      stopHold();
      moved.dispose();
      rung.dispose();
      observer.disconnect();
      view.close();
      emulator.dispose();
      terminal.current = null;
      latest.current.onControls(null);
    };
  }, [id]);

  useEffect(() => {
    if (terminal.current !== null) setTheme(terminal.current, theme);
  }, [theme]);
  useEffect(() => refit.current(), [fontPx]);

  return (
    <>
      {copyAsked !== null && (
        <div className="chip" role="alertdialog" aria-label="Copy">
          <p>
            The program wants to copy {copyAsked.length} characters:{' '}
            <code className="one-line">{copyAsked.slice(0, 80)}</code>
          </p>
          <button
            type="button"
            className="button primary"
            onClick={() => {
              copy(copyAsked).then(
                () => setCopyAsked(null),
                (error: unknown) => setNotice(sentenceOf(error)),
              );
            }}
          >
            Copy
          </button>
          <button type="button" className="button" onClick={() => setCopyAsked(null)}>
            Ignore
          </button>
        </div>
      )}
      {selected !== null && (
        <div className="chip" role="dialog" aria-label="Selected text">
          <p>
            <code className="one-line">{selected}</code>
          </p>
          <button
            type="button"
            className="button primary"
            onClick={() => {
              // Text that was added to the selection meanwhile counts too.
              copy(getSelection()?.toString().trim() || selected).then(
                () => setSelected(null),
                (error: unknown) => setNotice(sentenceOf(error)),
              );
            }}
          >
            Copy
          </button>
          <button type="button" className="button" onClick={() => setSelected(null)}>
            Close
          </button>
        </div>
      )}
      {notice !== null && (
        <p className="link-notice" role="status">
          {notice}
        </p>
      )}
      <div className="terminal-pane" data-ended={props.isEnded || undefined} ref={pane} />
    </>
  );
}

type Emulator = ReturnType<typeof newEmulator>;

/** Keeps the cursor visible if the screen is higher or wider than the pane: users type there. */
function keepCursorInSight(emulator: Emulator, box: HTMLElement): void {
  const screen = box.querySelector<HTMLElement>('.xterm-screen');
  if (screen === null) return;
  keepColumnInSight(emulator, box, screen);
  if (box.scrollHeight <= box.clientHeight) return;
  const rowPx = screen.offsetHeight / emulator.rows;
  const above = screen.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  const top = above + emulator.buffer.active.cursorY * rowPx;
  if (top + 2 * rowPx > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * rowPx - box.clientHeight;
  else if (top < box.scrollTop) box.scrollTop = Math.max(0, top - rowPx);
}

/** The number of columns beside the cursor that stay visible too. */
const COLUMNS_BESIDE = 4;

function keepColumnInSight(emulator: Emulator, box: HTMLElement, screen: HTMLElement): void {
  if (screen.offsetWidth <= box.clientWidth) return;
  if (hidesCursor(emulator)) {
    // A dialog begins at the left. After that, only the user scrolls.
    if (box.dataset['follows'] === 'cursor') box.scrollLeft = 0;
    delete box.dataset['follows'];
    return;
  }
  box.dataset['follows'] = 'cursor';
  const columnPx = screen.offsetWidth / emulator.cols;
  const left = emulator.buffer.active.cursorX * columnPx;
  if (left + COLUMNS_BESIDE * columnPx > box.scrollLeft + box.clientWidth)
    box.scrollLeft = left + COLUMNS_BESIDE * columnPx - box.clientWidth;
  else if (left < box.scrollLeft) box.scrollLeft = Math.max(0, left - COLUMNS_BESIDE * columnPx);
}

/** Lets a finger scroll the pane, and if the pane cannot scroll, the lines above the screen. */
function scrollByTouch(emulator: Emulator, box: HTMLElement): () => void {
  let last: number | null = null;
  let rest = 0;
  const start = ({ touches }: TouchEvent): void => {
    last = touches.length === 1 ? touches[0]!.clientY : null;
    rest = 0;
  };
  const move = ({ touches }: TouchEvent): void => {
    const y = touches[0]?.clientY;
    if (last === null || y === undefined) return;
    const isAtEdge = y > last ? box.scrollTop <= 0 : box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
    const rowPx = (box.querySelector<HTMLElement>('.xterm-screen')?.offsetHeight ?? 1) / emulator.rows;
    rest += isAtEdge ? (last - y) / rowPx : 0;
    last = y;
    const lines = Math.trunc(rest);
    if (lines === 0) return;
    rest -= lines;
    emulator.scrollLines(lines);
  };
  box.addEventListener('touchstart', start, { passive: true });
  box.addEventListener('touchmove', move, { passive: true });
  return () => {
    box.removeEventListener('touchstart', start);
    box.removeEventListener('touchmove', move);
  };
}

/** Takes the files of a paste or a drop. Pasted text is handled by the emulator. */
function takeFiles(box: HTMLElement, onFiles: (files: readonly File[]) => void): () => void {
  const taken = (event: Event, files: FileList | undefined): void => {
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onFiles([...files]);
  };
  const onPaste = (event: ClipboardEvent): void => taken(event, event.clipboardData?.files);
  const onDrop = (event: DragEvent): void => taken(event, event.dataTransfer?.files);
  const onOver = (event: DragEvent): void => event.preventDefault();
  box.addEventListener('paste', onPaste, { capture: true });
  box.addEventListener('drop', onDrop);
  box.addEventListener('dragover', onOver);
  return () => {
    box.removeEventListener('paste', onPaste, { capture: true });
    box.removeEventListener('drop', onDrop);
    box.removeEventListener('dragover', onOver);
  };
}
