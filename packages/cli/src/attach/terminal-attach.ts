/**
 * Attaches a session to this terminal: shows its output and sends it the keys, until either side ends. Keeps REM-12: a lost link
 * costs a line at the bottom, and nothing else.
 */
import type { Attachment, AttachOptions, Client } from '@spool/client';
import { SCROLLBACK_LINES, type SessionInfo } from '@spool/protocol';
import type { DetachKey, TypedPiece, ViewerFilterOptions } from '@spool/vt';
import { AttachCanvas } from './attach-canvas.ts';
import type { AttachHistory } from './attach-history.ts';
import type { AttachPump } from './attach-pump.ts';
import { type SessionCanvas, view, type ViewEnd } from './attach-view.ts';
import { exitCodeOfSession } from '../command-line/exit-code.ts';
import { Keyboard } from '../tui/keyboard.ts';
import { HINT_MS, knowsLeaving, leavingHint } from './leaving-hint.ts';
import { ownSession } from '../output/own-session.ts';
import { printable } from '../output/printable.ts';
import { noticeSequence } from './session-notice.ts';
import { ownCommand } from '../output/own-command.ts';
import { endWords, gapWords, isEnded } from '../output/session-words.ts';
import { flush, notice, print, writeOut } from '../output/stdio.ts';
import { ColourQuestion, understandsOsc } from './terminal-colours.ts';
import { UserTerminal } from '../tui/terminal.ts';
import { ViewerScreen } from './viewer-screen.ts';

/** The delay before a new size is sent. Dragging a window makes dozens of sizes; the session gets only the last one. */
const RESIZE_SETTLE_MS = 50;

/** The credit that keeps a fast terminal busy during a round trip; the rest stays in the log. */
const CREDIT_BYTES = 256 * 1024;

const LEAVING_MS_MAX = 300;
/** The credit if the input was typed before the attachment was open. */
const LEAVING_EARLY_MS_MAX = 3000;
const ENDING_MS_MAX = 60_000;
/** The time between beeps when the session does not read its input: not one per key. */
const BEEP_MS = 1000;

/** The reasons why typed input was refused. */
const REFUSALS: Readonly<Record<string, string>> = {
  INPUT_QUEUE_FULL: 'the session did not read its input, so some of your input was lost',
  LINE_TOO_LONG: 'the program reads lines of at most 4095 bytes, so some of your input was lost',
};

/**
 * The maximum of typed or pasted input that waits for the session. The keyboard is always read, because otherwise the detach key
 * would wait too.
 */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** The time before a lost connection is shown. A keeper that is being replaced is back sooner, and the user need not know. */
const AWAY_MS = 1500;
const AWAY = '[spool: the connection is lost; trying again. What you type is kept]';

/** `off`: every byte passes through JavaScript. It is for tests, which prove that both ways show the same. */
const PUMP_VARIABLE = 'SPOOL_ATTACH_PUMP';

const CTRL_C = 0x03;
const BEEP = Uint8Array.of(0x07);

/** The session's permissions on this terminal, besides drawing. */
type Permissions = Pick<ViewerFilterOptions, 'allowClipboard' | 'allowColours' | 'allowGraphics'>;

export interface TerminalAttachOptions extends Permissions {
  /** The session as the user named it, for messages. */
  readonly calledAs: string;
  /** The offset to start at: 0 for a new session, so that all its output is shown instead of only its screen. */
  readonly from?: number | undefined;
  readonly isReadOnly: boolean;
  readonly takeover: boolean;
  /** Lines above the screen to print first; Infinity: all of them. */
  readonly historyLines?: number | undefined;
  /** Whether the terminal notifies the user when another session needs attention. */
  readonly showsNotices: boolean;
  readonly detachKeys: readonly DetachKey[];
  /** Whether the hint on how to leave is omitted. */
  readonly isQuiet?: boolean | undefined;
  /** The input that the caller has already read: the first input of the session. */
  readonly typedBefore?: Uint8Array | undefined;
  /** Receives the input that was typed after the detach key. */
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
  using attach = new TerminalAttach(client, session, options);
  return await attach.run();
}

/** One attached period, from the first byte that is shown until the terminal is restored. */
class TerminalAttach implements Disposable {
  readonly #client: Client;
  readonly #session: SessionInfo;
  readonly #options: TerminalAttachOptions;
  readonly #terminal = new UserTerminal();
  readonly #canvas: AttachCanvas;
  readonly #keyboard: Keyboard;
  readonly #question: ColourQuestion;
  readonly #leaving = new AbortController();
  /** The problems to report to the user at the end. */
  readonly #troubles = new Set<string>();
  /** The input that was typed before the attachment was open. */
  readonly #early: Uint8Array[] = [];
  #attachment: Attachment | null = null;
  #isLeaving = false;
  #hasTypedEarly = false;
  #isInMidLine = false;
  /** Whether the terminal was stopped and continued, so that the session is attached again. */
  #isAgain = false;
  #beepedAt = -Infinity;
  #waitingBytes = 0;
  #endHint = (): void => {};
  #awayTimer: NodeJS.Timeout | undefined;
  #isAwayShown = false;
  #resizeTimer: NodeJS.Timeout | undefined;
  /** Lets plain bytes bypass JavaScript; null before it is loaded, and where that is impossible. */
  #pump: AttachPump | null = null;
  #hasTriedPump = false;
  #isRestDue = false;
  /** Whether the whole history is still being shown. */
  #isInHistory = false;

  constructor(client: Client, session: SessionInfo, options: TerminalAttachOptions) {
    const { isReadOnly } = options;
    const terminal = this.#terminal;
    this.#client = client;
    this.#session = session;
    this.#options = options;
    this.#canvas = new AttachCanvas({
      screen: new ViewerScreen({ ...options, input: !isReadOnly }, this.#write),
      own: terminal.size(),
      isTyping: !isReadOnly,
      mayResize: !isReadOnly && session.sizePolicy !== 'fixed' && !isEnded(session),
      write: this.#write,
      askSnapshot: () => this.#attachment?.view({ wantsSnapshot: true }),
      onWindow: (isWindow) => (this.#keyboard.isWindowed = isWindow),
    });
    terminal.undo = () => this.#canvas.undo();
    terminal.enter();
    this.#question = new ColourQuestion(process.env, (text) => void writeOut(text));
    this.#keyboard = new Keyboard(options.detachKeys, {
      take: (piece) => this.#take(piece),
      onGone: () => this.#leaving.abort(),
      onPrefix: (isPrefixed) => (this.#canvas.isPrefixed = isPrefixed),
      onRest: (bytes) => options.onTypedAfter?.(bytes),
    });
    terminal.onResize = this.#onResize;
    terminal.onContinue = () => {
      this.#isAgain = true;
      this.#attachment?.close();
    };
  }

  async run(): Promise<number> {
    const { typedBefore, isQuiet, detachKeys, calledAs, from, takeover, historyLines } = this.#options;
    if (typedBefore && typedBefore.length > 0) this.#keyboard.feed(typedBefore);
    const hint = isQuiet ? null : leavingHint(detachKeys, calledAs);
    if (hint !== null) await this.#showHint(hint);
    const end = await this.#stay({ size: this.#terminal.size(), from, takeover, historyLines }).catch(
      async (error: unknown) => {
        await this.#question.silence(); // a reply that arrives after a refusal would be typed into the shell
        throw error;
      },
    );
    // After a detach, a stalled terminal is not waited for; after the end of the session, all of it is shown.
    await flush(1, end.type === 'left' ? LEAVING_MS_MAX : ENDING_MS_MAX);
    await this.#question.silence();
    this.#restore(end);
    return end.type === 'exit' ? exitCodeOfSession(end) : 0;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#awayTimer);
    clearTimeout(this.#resizeTimer);
    this.#pump?.[Symbol.dispose]();
    this.#pump = null;
    this.#keyboard[Symbol.dispose]();
    this.#canvas[Symbol.dispose]();
    this.#terminal[Symbol.dispose]();
  }

  /** Restores the terminal, and prints the problems for the user. */
  #restore(end: ViewEnd): void {
    const { tell = notice, calledAs } = this.#options;
    const terminal = this.#terminal;
    const troubles = this.#troubles;
    clearTimeout(this.#awayTimer);
    const lastText = end.type === 'exit' ? this.#canvas.lastText : '';
    this.#canvas[Symbol.dispose]();
    terminal.leave();
    if (!terminal.isTaking) return;
    if (lastText !== '') print(lastText);
    const isApart = !this.#isInMidLine && end.type !== 'left';
    for (const trouble of troubles) tell(`${isApart ? '' : '\n'}[spool: ${trouble}]`);
    tell(`${isApart || troubles.size > 0 ? '' : '\n'}${farewell(end, printable(calledAs))}`);
  }

  async #showHint(text: string): Promise<void> {
    await this.#write(Buffer.from(`${text}\r\n`));
    const moment = Promise.withResolvers<void>();
    const timer = setTimeout(moment.resolve, HINT_MS);
    this.#endHint = moment.resolve;
    await moment.promise;
    clearTimeout(timer);
  }

  /** Attaches, and attaches again after a suspend (SIGTSTP), because other programs have used the terminal. */
  async #stay(first: AttachOptions): Promise<ViewEnd> {
    const { signal } = this.#leaving;
    for (let asked = first; ; asked = { size: this.#terminal.size() }) {
      this.#isAgain = false;
      await this.#terminal.outputReady;
      await this.#canvas.begin(this.#terminal.size(), asked.from === undefined);
      using history = asked.historyLines === Infinity ? await this.#wholeHistory() : null;
      this.#isInHistory = history !== null;
      const attachment = this.#attach(asked);
      this.#attachment = attachment;
      this.#hasTypedEarly = this.#early.length > 0;
      for (const bytes of this.#early.splice(0)) void attachment.type(bytes);
      if (this.#isLeaving) this.#leave();
      try {
        const end = await view(attachment, this.#shownOn(history, asked.historyLines));
        if (end.type !== 'left' || signal.aborted || !this.#isAgain) return end;
      } catch (error) {
        if (!signal.aborted) throw error;
        return { type: 'left' };
      }
    }
  }

  #attach(asked: AttachOptions): Attachment {
    return this.#client.attach(this.#session.id, {
      ...asked,
      // The session gets this terminal's size before the snapshot, so that all lines are laid out in it.
      historyLines: asked.historyLines === Infinity ? 1 : asked.historyLines,
      isReadOnly: this.#options.isReadOnly,
      followsSize: true,
      filter: 'none', // the canvas does that
      tellsModes: false,
      colours: this.#question.colours,
      creditBytes: CREDIT_BYTES,
      signal: this.#leaving.signal,
      inside: ownSession(),
      onLink: (isUp) => this.#onLink(isUp),
    });
  }

  /** Returns the canvas of one attachment, below the whole history if that was requested. */
  #shownOn(history: AttachHistory | null, historyLines = 0): SessionCanvas {
    const canvas = this.#canvas;
    const showsNotices = this.#options.showsNotices && understandsOsc(process.env) && ownSession() === undefined;
    let isFirst = true;
    return {
      paintSnapshot: async (bytes, offset) => {
        if (history) await history.paintSnapshot(bytes, offset);
        else await canvas.paintSnapshot(isFirst ? await this.#withHistory(bytes, offset, historyLines) : bytes);
        isFirst = false;
        this.#isInMidLine = !canvas.isWindow; // a guess: an extra line does less harm
        this.#restSoon();
      },
      paint: async (bytes, offset) => {
        this.#isInMidLine = !canvas.isWindow && bytes.at(-1) !== 0x0a;
        await (history ?? canvas).paint(bytes, offset);
        this.#isInHistory = history?.isOver === false;
        this.#restSoon();
      },
      resized: (size) => canvas.resized(size),
      onRefused: (code) => this.#onRefused(code),
      onGap: (from, to) => this.#onGap(from, to),
      onNotice: async (told) => {
        if (showsNotices) await canvas.interject(noticeSequence(told));
      },
    };
  }

  /** The daemon sends up to `SCROLLBACK_LINES` above the screen; more are read from the log here. */
  async #withHistory(bytes: Uint8Array, offset: number, lines: number): Promise<Uint8Array> {
    if (lines <= SCROLLBACK_LINES) return bytes;
    const [{ modelWithHistory }, { snapshot }] = await Promise.all([
      import('../session-output/long-history.ts'),
      import('@spool/screen'),
    ]);
    using model = await modelWithHistory(this.#client, this.#session.id, offset, lines);
    return snapshot(model, { history: lines, input: !this.#options.isReadOnly });
  }

  async #wholeHistory(): Promise<AttachHistory> {
    const { AttachHistory } = await import('./attach-history.ts');
    return new AttachHistory({
      client: this.#client,
      session: this.#session,
      canvas: this.#canvas,
      input: !this.#options.isReadOnly,
      signal: this.#leaving.signal,
      onGap: (from, to) => this.#onGap(from, to),
    });
  }

  #onGap(from: number, to: number): void {
    this.#troubles.add(gapWords(from, to));
  }

  /** The line hides a row of the session's screen, so a snapshot follows when the link is restored. */
  #onLink(isUp: boolean): void {
    clearTimeout(this.#awayTimer);
    if (!isUp) this.#pump?.disconnect();
    if (isUp) {
      if (this.#isAwayShown) void this.#canvas.showLine(null);
      this.#isAwayShown = false;
      return;
    }
    if (this.#isAwayShown) return;
    this.#awayTimer = setTimeout(() => {
      this.#isAwayShown = true;
      this.#attachment?.view({ wantsSnapshot: true });
      void this.#canvas.showLine(AWAY);
    }, AWAY_MS).unref();
  }

  #take(piece: TypedPiece): void {
    const { isReadOnly } = this.#options;
    if (piece.type !== 'reply') this.#endHint();
    switch (piece.type) {
      case 'keys':
        this.#canvas.follow();
        if (!isReadOnly) this.#type(piece.bytes);
        else if (piece.bytes.includes(CTRL_C)) this.#leave();
        return;
      case 'reply':
        if (this.#question.handle(piece.bytes)) this.#attachment?.view({ colours: this.#question.colours });
        return;
      case 'focus':
        return this.#attachment?.view({ isFocused: piece.isFocused });
      case 'pan':
        return this.#canvas.pan(piece.key);
      case 'mouse': {
        const bytes = this.#canvas.mouse(piece.report);
        if (bytes !== undefined && !isReadOnly) this.#type(bytes);
        return;
      }
      case 'detach':
        knowsLeaving();
        return this.#leave();
    }
  }

  #type(bytes: Uint8Array): void {
    if (this.#attachment === null) {
      this.#early.push(bytes);
      return;
    }
    if (this.#waitingBytes + bytes.length > WAITING_BYTES_MAX) return this.#onRefused('INPUT_QUEUE_FULL');
    this.#waitingBytes += bytes.length;
    void this.#attachment.type(bytes).then(() => (this.#waitingBytes -= bytes.length));
  }

  /** Leaves the session. Input typed before the detach still reaches the session, if it reads it soon. */
  #leave(): void {
    this.#isLeaving = true;
    if (this.#attachment === null && this.#early.length > 0) return; // once it is attached
    const timer = setTimeout(
      () => {
        this.#troubles.add('the session did not read all your input; some of it may be lost');
        this.#leaving.abort();
      },
      this.#hasTypedEarly ? LEAVING_EARLY_MS_MAX : LEAVING_MS_MAX,
    );
    void (this.#attachment?.settled() ?? Promise.resolve()).then(() => {
      clearTimeout(timer);
      this.#leaving.abort();
    });
  }

  /** Reports refused input with a beep now and a message at the end, because text would damage the session's screen. */
  #onRefused(code: string): void {
    this.#troubles.add(REFUSALS[code] ?? 'some of your input may not have arrived');
    if (performance.now() - this.#beepedAt < BEEP_MS) return;
    this.#beepedAt = performance.now();
    void this.#write(BEEP);
  }

  /** Hands over to the pump once everything received has been handled. */
  #restSoon(): void {
    if (this.#isRestDue || this.#leaving.signal.aborted) return;
    this.#isRestDue = true;
    setImmediate(this.#rest);
  }

  /** Lets plain bytes pass, because nothing has to be decided for now. */
  readonly #rest = (): void => {
    this.#isRestDue = false;
    const filter = this.#canvas.filterAtRest;
    if (filter === null || this.#isInHistory || this.#isLeaving || process.stdout.writableLength > 0) return;
    if (!this.#hasTriedPump) void this.#openPump();
    else if (this.#attachment) this.#pump?.rest(this.#attachment, filter);
  };

  async #openPump(): Promise<void> {
    this.#hasTriedPump = true;
    if (process.env[PUMP_VARIABLE] === 'off' || this.#client.isRemote) return;
    const { AttachPump } = await import('./attach-pump.ts');
    if (this.#leaving.signal.aborted) return;
    this.#pump = AttachPump.create({
      keyboard: this.#keyboard,
      write: (bytes) => void this.#write(bytes),
      onShown: (lastByte) => (this.#isInMidLine = lastByte !== 0x0a),
      onBusy: () => this.#restSoon(),
    });
    this.#restSoon();
  }

  readonly #onResize = (): void => {
    this.#attachment?.collect();
    this.#canvas.fit(this.#terminal.size());
    this.#restSoon();
    clearTimeout(this.#resizeTimer);
    this.#resizeTimer = setTimeout(() => this.#attachment?.view({ size: this.#terminal.size() }), RESIZE_SETTLE_MS);
  };

  readonly #write = (bytes: Uint8Array): Promise<void> => writeOut(bytes, 1, this.#leaving.signal);
}

function farewell(end: ViewEnd, name: string): string {
  switch (end.type) {
    case 'exit':
      return `[spool: session ${name} ended, ${endWords(end)}]`;
    case 'removed':
      return `[spool: session ${name} was removed]`;
    case 'taken-over':
      return `[spool: taken over by ${printable(end.by)}; return with: ${ownCommand(['attach', name])}]`;
    case 'left':
      return `[spool: detached from ${name}; return with: ${ownCommand(['attach', name])}]`;
  }
}
