/**
 * Attaches a session to this terminal: shows its output and sends it the keys, until either side ends. Keeps REM-12: a link that is
 * away costs a line at the bottom, and nothing else.
 */
import type { Attachment, AttachOptions, Client } from '@spool/client';
import { SCROLLBACK_LINES, type SessionInfo } from '@spool/protocol';
import type { DetachKey, TypedPiece, ViewerFilterOptions } from '@spool/vt';
import { AttachCanvas } from './attach-canvas.ts';
import type { AttachHistory } from './attach-history.ts';
import { view, type ViewEnd } from './attach-view.ts';
import { exitCodeOfSession } from '../command-line/exit-code.ts';
import { Keyboard } from './keyboard.ts';
import { HINT_MS, knowsLeaving, leavingHint } from './leaving-hint.ts';
import { ownSession } from '../output/own-session.ts';
import { printable } from '../output/printable.ts';
import { noticeSequence } from './session-notice.ts';
import { endWords, gapWords, isEnded } from '../output/session-words.ts';
import { flush, notice, print, writeOut } from '../output/stdio.ts';
import { ColourQuestion, understandsOsc } from './terminal-colours.ts';
import { Terminal } from './terminal.ts';
import { ViewerScreen } from './viewer-screen.ts';

/** Dragging a window sends dozens of sizes; the session gets only the last one. */
const RESIZE_SETTLE_MS = 50;

/** Enough to keep a fast terminal busy during a round trip; the rest stays in the log. */
const CREDIT_BYTES = 256 * 1024;

const LEAVING_MS_MAX = 300;
/** The same if the input was typed before the attachment was open. */
const LEAVING_EARLY_MS_MAX = 3000;
const ENDING_MS_MAX = 60_000;
/** At most one beep per second when the session does not read its input, not one per key. */
const BEEP_MS = 1000;

/** Why typed input was refused. */
const REFUSALS: Readonly<Record<string, string>> = {
  INPUT_QUEUE_FULL: 'the session did not read its input, so some of your input was lost',
  LINE_TOO_LONG: 'the program reads lines of at most 4095 bytes, so some of your input was lost',
};

/**
 * The maximum of typed or pasted input that waits for the session. The keyboard is always read, because otherwise the detach
 * key would wait too.
 */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** A keeper that is being replaced is back sooner, and nobody needs to know. */
const AWAY_MS = 1500;
const AWAY = '[spool: the connection is lost; trying again. What you type is kept]';

const CTRL_C = 0x03;
const BEEP = Uint8Array.of(0x07);

/** What a session may do to this terminal in addition to drawing. */
export type Permissions = Pick<ViewerFilterOptions, 'allowClipboard' | 'allowColours' | 'allowGraphics'>;

export interface TerminalAttachOptions extends Permissions {
  /** The session as the user named it, for notices. */
  readonly calledAs: string;
  /** 0 for a new session, to show all its output and not only its screen. */
  readonly from?: number | undefined;
  readonly isReadOnly: boolean;
  readonly takeover: boolean;
  /** Lines above the screen to print first; Infinity: all of them. */
  readonly historyLines?: number | undefined;
  /** Whether the terminal notifies the user when another session needs attention. */
  readonly showsNotices: boolean;
  readonly detachKeys: readonly DetachKey[];
  /** No hint on how to leave. */
  readonly isQuiet?: boolean | undefined;
  /** Typed before this was called, and read by the caller: the first input of the session. */
  readonly typedBefore?: Uint8Array | undefined;
  /** Gets what was typed after the detach key. */
  readonly onTypedAfter?: ((bytes: Uint8Array) => void) | undefined;
  /** Prints a line to the user at the end (default: to stderr). */
  readonly tell?: ((line: string) => void) | undefined;
}

/** Returns the exit code: that of the session if it ended, 0 if the user detached. */
export async function attachTerminal(
  client: Client,
  session: SessionInfo,
  options: TerminalAttachOptions,
): Promise<number> {
  const { isReadOnly, tell = notice } = options;
  const showsNotices = options.showsNotices && understandsOsc(process.env);
  const leaving = new AbortController();
  const troubles = new Set<string>();
  /** Typed before the attachment was open. */
  const early: Uint8Array[] = [];
  let attachment: Attachment | null = null;
  let isLeaving = false;
  let hasTypedEarly = false;
  let isInMidLine = false;
  let isAgain = false;
  let beepedAt = -Infinity;
  let waitingBytes = 0;
  let endHint = (): void => {};
  let awayTimer: NodeJS.Timeout | undefined;
  let isAwayShown = false;

  using terminal = new Terminal();
  const write = (bytes: Uint8Array): Promise<void> => writeOut(bytes, 1, leaving.signal);
  using canvas = new AttachCanvas({
    screen: new ViewerScreen({ ...options, input: !isReadOnly }, write),
    own: terminal.size(),
    isTyping: !isReadOnly,
    mayResize: !isReadOnly && session.sizePolicy !== 'fixed' && !isEnded(session),
    write,
    askSnapshot: () => attachment?.view({ wantsSnapshot: true }),
    onWindow: (isWindow) => (keyboard.isWindowed = isWindow),
  });
  terminal.undo = () => canvas.undo();
  terminal.enter();
  const question = new ColourQuestion(process.env, (text) => void writeOut(text));
  using keyboard = new Keyboard(options.detachKeys, {
    take,
    onGone: () => leaving.abort(),
    onPrefix: (isPrefixed) => (canvas.isPrefixed = isPrefixed),
    onRest: (bytes) => options.onTypedAfter?.(bytes),
  });
  using _sizes = followSize();
  terminal.onContinue = () => {
    isAgain = true;
    attachment?.close();
  };

  if (options.typedBefore && options.typedBefore.length > 0) keyboard.feed(options.typedBefore);
  const hint = options.isQuiet ? null : leavingHint(options.detachKeys, options.calledAs);
  if (hint !== null) await showHint(hint);
  await question.answered();
  const end = await stay({
    size: terminal.size(),
    from: options.from,
    takeover: options.takeover,
    historyLines: options.historyLines,
  });
  // After a detach, do not wait for a stalled terminal; after the end of the session, show all of it.
  await flush(1, end.type === 'left' ? LEAVING_MS_MAX : ENDING_MS_MAX);
  await question.silence();
  clearTimeout(awayTimer);
  const lastText = end.type === 'exit' ? canvas.lastText : '';
  canvas[Symbol.dispose]();
  terminal.leave();
  if (lastText !== '' && terminal.isTaking) print(lastText);
  if (terminal.isTaking) {
    const isApart = !isInMidLine && end.type !== 'left';
    for (const trouble of troubles) tell(`${isApart ? '' : '\n'}[spool: ${trouble}]`);
    tell(`${isApart || troubles.size > 0 ? '' : '\n'}${farewell(end, printable(options.calledAs))}`);
  }
  return end.type === 'exit' ? exitCodeOfSession(end) : 0;

  /** The daemon sends up to `SCROLLBACK_LINES` above the screen; more are read from the log here. */
  async function withHistory(bytes: Uint8Array, offset: number, lines: number): Promise<Uint8Array> {
    if (lines <= SCROLLBACK_LINES) return bytes;
    const [{ modelWithHistory }, { snapshot }] = await Promise.all([
      import('../session-output/long-history.ts'),
      import('@spool/core/screen'),
    ]);
    using model = await modelWithHistory(client, session.id, offset, lines);
    return snapshot(model, { history: lines, input: !isReadOnly });
  }

  async function wholeHistory(): Promise<AttachHistory> {
    const { AttachHistory } = await import('./attach-history.ts');
    return new AttachHistory({ client, session, canvas, input: !isReadOnly, signal: leaving.signal, onGap });
  }

  function onGap(from: number, to: number): void {
    troubles.add(gapWords(from, to));
  }

  async function showHint(text: string): Promise<void> {
    await write(Buffer.from(`${text}\r\n`));
    const moment = Promise.withResolvers<void>();
    const timer = setTimeout(moment.resolve, HINT_MS);
    endHint = moment.resolve;
    await moment.promise;
    clearTimeout(timer);
  }

  /** Attaches, and attaches again after a suspend (SIGTSTP), because the terminal shows something else then. */
  async function stay(first: AttachOptions): Promise<ViewEnd> {
    for (let asked = first; ; asked = { size: terminal.size() }) {
      isAgain = false;
      let isFirst = true;
      await terminal.outputReady;
      await canvas.begin(terminal.size(), asked.from === undefined);
      const wantsAll = asked.historyLines === Infinity;
      using history = wantsAll ? await wholeHistory() : null;
      attachment = client.attach(session.id, {
        ...asked,
        // The session gets this terminal's size before the snapshot, so that all lines are laid out in it.
        historyLines: wantsAll ? 1 : asked.historyLines,
        isReadOnly,
        followsSize: true,
        filter: 'none', // the canvas does that
        tellsModes: false,
        colours: question.colours,
        creditBytes: CREDIT_BYTES,
        signal: leaving.signal,
        inside: ownSession(),
        onLink,
      });
      hasTypedEarly = early.length > 0;
      for (const bytes of early.splice(0)) void attachment.type(bytes);
      if (isLeaving) leave();
      try {
        const end = await view(attachment, {
          async paintSnapshot(bytes, offset) {
            const { historyLines = 0 } = asked;
            if (history) await history.paintSnapshot(bytes, offset);
            else await canvas.paintSnapshot(isFirst ? await withHistory(bytes, offset, historyLines) : bytes);
            isFirst = false;
            isInMidLine = !canvas.isWindow; // a guess; an extra line does less harm
          },
          async paint(bytes, offset) {
            isInMidLine = !canvas.isWindow && bytes.at(-1) !== 0x0a;
            await (history ?? canvas).paint(bytes, offset);
          },
          resized: (size) => canvas.resized(size),
          onRefused,
          onGap,
          async onNotice(told) {
            if (showsNotices && ownSession() === undefined) await canvas.interject(noticeSequence(told));
          },
        });
        if (end.type !== 'left' || leaving.signal.aborted || !isAgain) return end;
      } catch (error) {
        if (!leaving.signal.aborted) throw error;
        return { type: 'left' };
      }
    }
  }

  /** The line hides a row of the session's screen, so a snapshot follows when the link is back. */
  function onLink(isUp: boolean): void {
    clearTimeout(awayTimer);
    if (isUp) {
      if (isAwayShown) void canvas.showLine(null);
      isAwayShown = false;
      return;
    }
    if (isAwayShown) return;
    awayTimer = setTimeout(() => {
      isAwayShown = true;
      attachment?.view({ wantsSnapshot: true });
      void canvas.showLine(AWAY);
    }, AWAY_MS).unref();
  }

  function take(piece: TypedPiece): void {
    if (piece.type !== 'reply') endHint();
    switch (piece.type) {
      case 'keys':
        canvas.follow();
        if (!isReadOnly) type(piece.bytes);
        else if (piece.bytes.includes(CTRL_C)) leave();
        return;
      case 'reply':
        if (question.handle(piece.bytes)) attachment?.view({ colours: question.colours });
        return;
      case 'focus':
        return attachment?.view({ isFocused: piece.isFocused });
      case 'pan':
        return canvas.pan(piece.key);
      case 'mouse': {
        const bytes = canvas.mouse(piece.report);
        if (bytes !== undefined && !isReadOnly) type(bytes);
        return;
      }
      case 'detach':
        knowsLeaving();
        return leave();
    }
  }

  function type(bytes: Uint8Array): void {
    if (attachment === null) {
      early.push(bytes);
      return;
    }
    if (waitingBytes + bytes.length > WAITING_BYTES_MAX) return onRefused('INPUT_QUEUE_FULL');
    waitingBytes += bytes.length;
    void attachment.type(bytes).then(() => (waitingBytes -= bytes.length));
  }

  /** Input typed before the detach still goes to the session, if it reads it soon. */
  function leave(): void {
    isLeaving = true;
    if (attachment === null && early.length > 0) return; // once it is attached
    const timer = setTimeout(
      () => {
        troubles.add('the session did not read all your input; some of it may be lost');
        leaving.abort();
      },
      hasTypedEarly ? LEAVING_EARLY_MS_MAX : LEAVING_MS_MAX,
    );
    void (attachment?.settled() ?? Promise.resolve()).then(() => {
      clearTimeout(timer);
      leaving.abort();
    });
  }

  /** Text would damage the session's screen, so this beeps now and prints a message at the end. */
  function onRefused(code: string): void {
    troubles.add(REFUSALS[code] ?? 'some of your input may not have arrived');
    if (performance.now() - beepedAt < BEEP_MS) return;
    beepedAt = performance.now();
    void writeOut(BEEP, 1, leaving.signal);
  }

  function followSize(): Disposable {
    let timer: NodeJS.Timeout | undefined;
    const onResize = (): void => {
      canvas.fit(terminal.size());
      clearTimeout(timer);
      timer = setTimeout(() => attachment?.view({ size: terminal.size() }), RESIZE_SETTLE_MS);
    };
    process.stdout.on('resize', onResize);
    return {
      [Symbol.dispose]() {
        clearTimeout(timer);
        process.stdout.off('resize', onResize);
      },
    };
  }
}

function farewell(end: ViewEnd, name: string): string {
  switch (end.type) {
    case 'exit':
      return `[spool: session ${name} ended, ${endWords(end)}]`;
    case 'removed':
      return `[spool: session ${name} was removed]`;
    case 'taken-over':
      return `[spool: taken over by ${printable(end.by)}; return with: spool attach ${name}]`;
    case 'left':
      return `[spool: detached from ${name}; return with: spool attach ${name}]`;
  }
}
