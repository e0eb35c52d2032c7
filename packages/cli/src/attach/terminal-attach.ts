/** A session in this terminal: what it writes is shown, what is typed goes to it, until either side ends. */
import type { Attachment, AttachOptions, Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import type { DetachKey, TypedPiece, ViewerFilterOptions } from '@spool/vt';
import { AttachCanvas } from './attach-canvas.ts';
import { view, type ViewEnd } from './attach-view.ts';
import { exitCodeOfSession } from '../command-line/exit-code.ts';
import { Keyboard } from './keyboard.ts';
import { printable } from '../output/printable.ts';
import { noticeSequence } from './session-notice.ts';
import { endWords, gapWords, isEnded } from '../output/session-words.ts';
import { flush, notice, print, writeOut } from '../output/stdio.ts';
import { ColourQuestion, understandsOsc } from './terminal-colours.ts';
import { Terminal } from './terminal.ts';
import { ViewerScreen } from './viewer-screen.ts';

/** A window that is dragged sends dozens of sizes; the session gets the one where it came to rest. */
const RESIZE_SETTLE_MS = 50;

/** Enough to keep a fast terminal busy over a round trip; what is beyond stays in the log. */
const CREDIT_BYTES = 256 * 1024;

const LEAVING_MS_MAX = 300;
const ENDING_MS_MAX = 60_000;
/** A session that does not read its input is told with one beep, not with one for each key. */
const BEEP_MS = 1000;

/** Why something that was typed was not taken. */
const REFUSALS: Readonly<Record<string, string>> = {
  INPUT_QUEUE_FULL: 'the session did not read its input, so some of what you typed was not taken',
  LINE_TOO_LONG: 'the program reads lines of at most 4095 bytes, so some of what you typed was not taken',
};

/**
 * Typed or pasted, and not taken by the session yet: so much waits here. The keyboard is always read, else the detach key
 * would wait too.
 */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

const CTRL_C = 0x03;
const BEEP = Uint8Array.of(0x07);

/** What a program may do to this terminal beyond drawing. */
export type Permissions = Pick<ViewerFilterOptions, 'allowClipboard' | 'allowColours' | 'allowGraphics'>;

export interface TerminalAttachOptions extends Permissions {
  /** The session as the person named it, for notices. */
  readonly calledAs: string;
  /** 0 for a session that was just started: all of it is shown, not only its screen. */
  readonly from?: number | undefined;
  readonly isReadOnly: boolean;
  readonly takeover: boolean;
  readonly historyLines?: number | undefined;
  /** Whether the terminal tells when another session wants somebody. */
  readonly showsNotices: boolean;
  readonly detachKeys: readonly DetachKey[];
  /** Says a line to the person when all is over; on standard error unless told. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** Returns the exit code: the session's when it ended, 0 when the person left. */
export async function attachTerminal(
  client: Client,
  session: SessionInfo,
  options: TerminalAttachOptions,
): Promise<number> {
  const { isReadOnly, tell = notice } = options;
  const showsNotices = options.showsNotices && understandsOsc(process.env);
  const leaving = new AbortController();
  const troubles = new Set<string>();
  /** Typed before there was anything to type into. */
  const early: Uint8Array[] = [];
  let attachment: Attachment | null = null;
  let isInMidLine = false;
  let isAgain = false;
  let beepedAt = -Infinity;
  let waitingBytes = 0;

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
  });
  using _sizes = followSize();
  terminal.onContinue = () => {
    isAgain = true;
    attachment?.close();
  };

  await question.answered();
  const end = await stay({
    size: terminal.size(),
    from: options.from,
    takeover: options.takeover,
    historyLines: options.historyLines,
  });
  // Who left does not want to wait for a terminal that takes nothing; who saw the end wants to see all of it.
  await flush(1, end.type === 'left' ? LEAVING_MS_MAX : ENDING_MS_MAX);
  await question.silence();
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

  /** Attached, and after a stop (SIGTSTP) attached anew: then the terminal shows something else. */
  async function stay(first: AttachOptions): Promise<ViewEnd> {
    for (let asked = first; ; asked = { size: terminal.size() }) {
      isAgain = false;
      await terminal.outputReady;
      await canvas.begin(terminal.size(), asked.from === undefined);
      attachment = client.attach(session.id, {
        ...asked,
        isReadOnly,
        followsSize: true,
        colours: question.colours,
        creditBytes: CREDIT_BYTES,
        signal: leaving.signal,
      });
      for (const bytes of early.splice(0)) void attachment.type(bytes);
      try {
        const end = await view(attachment, {
          async paintSnapshot(bytes) {
            await canvas.paintSnapshot(bytes);
            isInMidLine = !canvas.isWindow; // or not; a line too many does less harm
          },
          async paint(bytes) {
            isInMidLine = !canvas.isWindow && bytes.at(-1) !== 0x0a;
            await canvas.paint(bytes);
          },
          resized: (size) => canvas.resized(size),
          onRefused,
          onGap: (from, to) => troubles.add(gapWords(from, to)),
          async onNotice(told) {
            if (showsNotices) await canvas.interject(noticeSequence(told));
          },
        });
        if (end.type !== 'left' || leaving.signal.aborted || !isAgain) return end;
      } catch (error) {
        if (!leaving.signal.aborted) throw error;
        return { type: 'left' };
      }
    }
  }

  function take(piece: TypedPiece): void {
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

  /** What was typed first still goes to the session, if that takes it soon. */
  function leave(): void {
    const timer = setTimeout(() => {
      troubles.add('the session had not read all that you typed; some of it may be lost');
      leaving.abort();
    }, LEAVING_MS_MAX);
    void (attachment?.settled() ?? Promise.resolve()).then(() => {
      clearTimeout(timer);
      leaving.abort();
    });
  }

  /** Nothing may be written into its screen, so it is a beep now and a word at the end. */
  function onRefused(code: string): void {
    troubles.add(REFUSALS[code] ?? 'some of what you typed may not have arrived');
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
      return `[spool: taken over by ${printable(end.by)}; come back with: spool attach ${name}]`;
    case 'left':
      return `[spool: detached from ${name}; come back with: spool attach ${name}]`;
  }
}
