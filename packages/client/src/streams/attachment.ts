/**
 * A viewer of a session, which can type into it: first a snapshot, then every byte from there on, exactly once, then the end.
 * `ByteStream` follows the bytes; this class adds the parts for a viewer.
 *
 * A snapshot may come at any time: for a viewer that fell behind, or lost the link for too long. It replaces all items that
 * waited before it. Typed input arrives exactly once too, in its own stream (`TypedStream`).
 *
 * The returned bytes may be written to any terminal, and the bytes of a terminal may be typed: `ViewerOutput` and `ViewerInput`
 * remove queries and replies. Keeps ATT-11, ATT-16 and SIZE-8.
 */
import {
  encodeFrame,
  encodeInput,
  type Frame,
  FrameFlag,
  FrameType,
  type Requests,
  type Size,
  SpoolError,
  type TerminalColours,
  type WatchEvent,
} from '@spool/protocol';
import type { ModeState } from '@spool/vt';
import { BrokenConnection, type Channel, type Connection } from '../link/connection.ts';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import type { Runtime, Transport } from '../link/runtime.ts';
import { utf8 } from '../link/runtime.ts';
import { type SendTyped, TypedStream } from './typed-stream.ts';
import { encodeKeys, screenModes } from './typing.ts';
import { ViewerInput } from './viewer-input.ts';
import { ViewerOutput, type ViewerPermissions, type Vt } from './viewer-output.ts';
import type { AttachItem } from './watch-queue.ts';

export interface AttachOptions extends ByteStreamOptions {
  /** The viewer's size. It counts towards the session's size if the viewer is not read-only. */
  readonly size?: Size | undefined;
  /** Whether the viewer is read-only: it cannot type, and its size does not count. */
  readonly isReadOnly?: boolean | undefined;
  /** Whether the other viewers that may type are detached. */
  readonly takeover?: boolean | undefined;
  /** The number of history lines before the first screen. */
  readonly historyLines?: number | undefined;
  /** The colours of the viewer's terminal; the child's colour queries are answered with them. */
  readonly colours?: TerminalColours | undefined;
  /** The offset of the state that the viewer's screen already shows (0: blank); if it is absent, a snapshot comes first. */
  readonly from?: number | undefined;
  /**
   * Whether the viewer paints a session of any size: `resized` then comes before each snapshot and with each change of size,
   * including its own.
   */
  readonly followsSize?: boolean | undefined;
  /**
   * The delay after which a viewer gets a snapshot instead of the backlog, if it shows the present rather than every byte (default:
   * none; a viewer that is a megabyte behind always gets one).
   */
  readonly lateMs?: number | undefined;
  /**
   * `terminal` (default): the output is safe to write to a terminal or an emulator, and the terminal's bytes are safe to type:
   * queries and other harmful sequences are removed from the output, and replies from the input. An object allows more (`{
   * allowClipboard: true }`). `none`: exact bytes both ways, for a viewer that filters by itself, or does not render.
   */
  readonly filter?: 'terminal' | 'none' | ViewerPermissions | undefined;
  /** Whether items `modes` are returned: after each snapshot, and at each change (default: true). */
  readonly tellsModes?: boolean | undefined;
  /** The session in whose terminal this is shown (SPOOL_SESSION): refused if the output would be copied in a circle. */
  readonly inside?: string | undefined;
  /** Called when the link breaks (false), and before the first item after that (true). No byte is lost in between. */
  readonly onLink?: ((isUp: boolean) => void) | undefined;
}

/** A change of the viewer's size, focus or colours, or the request for a snapshot. */
export type ViewChange = Omit<Requests['view']['ask'], 'channel'>;

/** The route for bytes that bypass an attachment: see `Attachment.bypass`. */
export interface Bypass {
  readonly transport: Transport;
  readonly channel: number;
  /** The output from `outputAt` up to `outputMax`; no output if the two are equal. */
  readonly outputAt: number;
  readonly outputMax: number;
  /** Typed bytes from this offset on, in input frames whose payload starts with `inputPrefix`. */
  readonly mayType: boolean;
  readonly typedAt: number;
  readonly typedConfirmed: number;
  readonly inputPrefix: Uint8Array;
}

/** The bytes that have bypassed an attachment. */
export interface BypassedBytes {
  readonly outputTo: number;
  /** The last typed bytes, with their offset; they may be unconfirmed. */
  readonly typedAt: number;
  readonly typed: Uint8Array;
  readonly typedConfirmed: number;
}

/** The interval of sent sizes while a window is dragged; the last one is always sent. */
const RESIZE_EVERY_MS = 50;

export class Attachment extends Reading<AttachItem> {
  readonly #bytes: ByteStream;
  readonly #options: AttachOptions;
  readonly #typing: string;
  readonly #typed = new TypedStream();
  #size: Size | undefined;
  /** Whether a size was sent a moment ago, so that the next one waits. */
  #hasJustResized = false;
  #hasLateSize = false;
  #isFocused: boolean | undefined;
  #colours: TerminalColours | undefined;
  /** The change that was not sent yet, because the daemon has not answered. */
  #unsaid: ViewChange = {};
  readonly #requester: Requester;
  readonly #sleep: Runtime['sleep'];
  readonly #input: ViewerInput;
  readonly #isExact: boolean;
  #output: ViewerOutput | null = null;
  #next: AttachItem | null = null;
  /** Ends a bypass, and returns the bytes that have bypassed this attachment. */
  #endBypass: (() => BypassedBytes | null) | null = null;

  constructor(
    requester: Requester,
    runtime: Pick<Runtime, 'sleep' | 'randomId'>,
    session: string,
    options: AttachOptions,
  ) {
    super();
    this.#requester = requester;
    this.#sleep = (ms) => runtime.sleep(ms);
    this.#isExact = options.filter === 'none';
    this.#input = new ViewerInput({
      vt: loadVt,
      sleep: (ms) => runtime.sleep(ms),
      type: (bytes) => this.#typed.type(bytes),
      onFocus: (isFocused) => this.view({ isFocused }),
    });
    this.#bytes = new ByteStream(requester, session, options, {
      ask: (connection, creditBytes, channel) => this.#ask(connection, creditBytes, channel),
      onAnswer: (answer) => this.#onAnswer(answer as Requests['attach']['answer']),
      onEvent: (event) => this.#onEvent(event),
      onFrame: (frame) => this.#onFrame(frame),
      onBroken: () => {
        this.collect();
        this.#typed.pause();
        options.onLink?.(false);
      },
      onEnd: () => {
        this.collect();
        this.#typed.end();
      },
    });
    this.#options = options;
    this.#typing = runtime.randomId();
    this.#colours = options.colours;
    this.#size = options.isReadOnly === true ? undefined : options.size;
    this.#bytes.reached = options.from;
    this.#bytes.start();
  }

  /** The full id of the session, once the daemon has answered. */
  get id(): string | undefined {
    return this.#bytes.id;
  }

  /** The offset after the last byte that the reader has taken, for a later attachment. */
  get cursor(): number | undefined {
    this.collect();
    return this.#bytes.cursor;
  }

  get isEnded(): boolean {
    return this.#bytes.isEnded;
  }

  async next(): Promise<IteratorResult<AttachItem, undefined>> {
    const told = this.#next;
    if (told !== null) {
      this.#next = null;
      return { done: false, value: told };
    }
    const result = await this.#bytes.next();
    if (result.done === true || (this.#isExact && this.#options.tellsModes === false)) return result;
    return { done: false, value: await this.#shown(result.value) };
  }

  /**
   * Lets a reader with the filter `none` read plain output and send plain keys itself, past this object, while nothing waits in it.
   * `end` is called before this attachment does anything else: after that nothing bypasses it, and `end` returns the bytes that
   * did. Returns null when something waits.
   */
  bypass(end: () => BypassedBytes | null): Bypass | null {
    this.collect();
    const { answered, passableTo, reached, id } = this.#bytes;
    if (!this.#isExact || this.#next !== null || passableTo === undefined || id === undefined) return null;
    const transport = answered!.connection.idleTransport;
    if (transport === null || !this.#input.isIdle) return null;
    this.#endBypass = end;
    return {
      transport,
      channel: answered!.channel,
      outputAt: reached!,
      outputMax: passableTo,
      mayType: this.#options.isReadOnly !== true && this.#typed.isPassable,
      typedAt: this.#typed.endOffset,
      typedConfirmed: this.#typed.confirmed,
      inputPrefix: encodeInput(id, new Uint8Array(0)),
    };
  }

  /** Ends a bypass, so that this object knows everything again. */
  collect(): void {
    const end = this.#endBypass;
    if (end === null) return;
    this.#endBypass = null;
    const passed = end();
    if (passed === null) return;
    this.#bytes.passedTo(passed.outputTo);
    this.#typed.passed(passed.typedAt, passed.typed, passed.typedConfirmed);
  }

  /** Returns the bytes that undo the session's settings, for a terminal that is left. */
  leave(): Uint8Array {
    return this.#output?.leave() ?? new Uint8Array(0);
  }

  close(): void {
    this.#bytes.close();
  }

  /** The number of typed bytes that are not confirmed to be in the terminal. */
  get unconfirmedBytes(): number {
    this.collect();
    return this.#typed.unconfirmedBytes;
  }

  /**
   * Types the bytes of a terminal, without its replies to queries (the daemon has answered them); with the filter `none`, the exact
   * bytes. Usually resolves at once; with a megabyte in flight, as soon as there is room again. Refused input is reported as an
   * item, `input-refused`.
   */
  async type(bytes: Uint8Array | string): Promise<void> {
    this.#checkTyping();
    const given = typeof bytes === 'string' ? utf8(bytes) : bytes;
    await (this.#isExact ? this.#input.pass(given) : this.#input.feed(given));
  }

  /** Presses named keys, one after the other, in the form that the program has enabled: `['Up', 'C-c', 'Enter']`. */
  async keys(words: readonly string[]): Promise<void> {
    this.#checkTyping();
    await this.#input.send(async (vt) => encodeKeys(vt, words, () => this.#modes(vt)));
  }

  /** Pastes text: bracketed if the program has enabled that, so that newlines do not submit it. */
  async paste(text: string): Promise<void> {
    this.#checkTyping();
    await this.#input.send(async (vt) => [vt.paste(utf8(text), await this.#modes(vt))]);
  }

  /** Resolves when all typed input is in the terminal, or refused, or will never arrive. */
  async settled(): Promise<void> {
    this.collect();
    await this.#input.flushed();
    await this.#typed.settled();
  }

  /**
   * Changes the viewer's size, focus or colours. They are sent now (sizes: at most 20 per second), and again after a broken link.
   */
  view({ size, isFocused, colours, wantsSnapshot, historyLines }: ViewChange): void {
    this.collect();
    if (colours !== undefined) this.#colours = colours;
    if (isFocused !== undefined) this.#isFocused = isFocused;
    this.#say({
      ...(size && this.#options.isReadOnly !== true && this.#mayResizeTo(size) ? { size } : {}),
      ...(isFocused === undefined ? {} : { isFocused }),
      ...(colours && { colours }),
      ...(wantsSnapshot && { wantsSnapshot, historyLines }),
    });
  }

  /** Returns false if the size will be sent later, unless a newer one replaces it. */
  #mayResizeTo(size: Size): boolean {
    this.#size = size;
    const isSent = this.#bytes.answered !== null; // otherwise only the last change waits for the link
    this.#hasLateSize = isSent && this.#hasJustResized;
    if (this.#hasLateSize) return false;
    if (!isSent || this.#hasJustResized) return true;
    this.#hasJustResized = true;
    void this.#sleep(RESIZE_EVERY_MS).then(() => {
      this.#hasJustResized = false;
      if (this.#hasLateSize && !this.isEnded) this.view({ size: this.#size });
    });
    return true;
  }

  #checkTyping(): void {
    this.collect();
    if (this.#options.isReadOnly === true) throw new SpoolError('NOT_ALLOWED', { reason: 'this viewer is read-only' });
  }

  /** Returns an item in the form for the viewer; changed modes follow it. */
  async #shown(item: AttachItem): Promise<AttachItem> {
    if (item.type !== 'snapshot' && item.type !== 'output') return item;
    const output = (this.#output ??= await this.#begin(item));
    const bytes = item.type === 'snapshot' ? output.snapshot(item.bytes) : output.output(item.bytes);
    const offset = item.type === 'snapshot' ? item.offset : item.offset + item.bytes.length;
    const modes = this.#options.tellsModes === false ? null : output.changed();
    if (modes) this.#next = { type: 'modes', offset, ...modes };
    return item.type === 'snapshot' ? { ...item, bytes } : { ...item, bytes, end: offset };
  }

  /** Begins the output at an offset without a snapshot. The terminal already has the modes of that offset. */
  async #begin({ type, offset }: AttachItem & { readonly offset: number }): Promise<ViewerOutput> {
    const vt = await loadVt();
    const { filter, isReadOnly } = this.#options;
    const permissions = typeof filter === 'object' ? filter : {};
    const modes = type === 'snapshot' || offset === 0 ? vt.INITIAL_MODES : await this.#modesAt(vt, offset);
    return new ViewerOutput(vt, { ...permissions, isFiltered: !this.#isExact, isTyping: isReadOnly !== true }, modes);
  }

  /** Returns the modes of the last item if it shows the present; otherwise asks the daemon. */
  async #modes(vt: Vt): Promise<ModeState> {
    const isPresent = this.#output !== null && this.#bytes.answered !== null && this.#bytes.queue.length === 0;
    return isPresent ? this.#output!.state : this.#modesAt(vt);
  }

  async #modesAt(vt: Vt, offset?: number): Promise<ModeState> {
    return screenModes(this.#requester, vt, this.#bytes.session, offset);
  }

  #ask(connection: Connection, creditBytes: number, { onFrame, onBroken }: Channel): number {
    const channel: Channel = {
      onFrame: (frame) => {
        this.collect();
        onFrame(frame);
      },
      onBroken,
    };
    const { isReadOnly, takeover, historyLines, followsSize, lateMs, inside } = this.#options;
    const isFirst = this.id === undefined;
    // A resize during the break is sent again, because it counts as activity.
    const { size, wantsSnapshot, historyLines: wantedLines } = isFirst ? {} : this.#unsaid;
    this.#unsaid = {
      ...(this.#isFocused !== undefined && { isFocused: this.#isFocused }),
      ...(size && { size }),
      ...(wantsSnapshot && { wantsSnapshot, historyLines: wantedLines }),
    };
    return connection.open(
      'attach',
      {
        session: this.#bytes.session,
        creditBytes,
        from: this.#bytes.reached,
        size: this.#size,
        isReadOnly,
        // This is done only once: clients that attached during a break may stay.
        takeover: isFirst ? takeover : undefined,
        historyLines: isFirst ? historyLines : undefined,
        isReattach: isFirst ? undefined : true,
        colours: this.#colours,
        followsSize,
        lateMs,
        inside,
        typing: this.#typing,
      },
      channel,
    );
  }

  #onAnswer({ id, typedOffset }: Requests['attach']['answer']): void {
    const isFirst = this.id === undefined;
    this.#bytes.settle(id, this.#bytes.reached);
    if (this.#bytes.answered === null) return; // the link was to another session
    if (!isFirst) this.#options.onLink?.(true);
    const { connection, channel } = this.#bytes.answered;
    const send: SendTyped = (offset, bytes) =>
      connection.send(encodeFrame(FrameType.input, channel, encodeInput(id, bytes), offset, FrameFlag.typed));
    if (!this.#typed.resume(typedOffset, send))
      this.#bytes.queue.pushEvent({ type: 'input-refused', offset: typedOffset, code: 'INPUT_UNCONFIRMED' });
    this.#say({});
  }

  #onFrame(frame: Frame): boolean {
    if (frame.type === FrameType.typed) {
      this.#typed.confirm(frame.offset);
      return true;
    }
    if (frame.type !== FrameType.snapshot) return false;
    if (this.#bytes.answered === null) throw this.#bytes.fault({ reason: 'a snapshot before the answer' });
    this.#bytes.jump(frame.offset);
    this.#bytes.queue.pushEvent({ type: 'snapshot', offset: frame.offset, bytes: new Uint8Array(frame.payload) });
    return true;
  }

  #onEvent(event: WatchEvent): boolean {
    switch (event.type) {
      case 'input-refused':
        this.#typed.confirm(event.offset);
        this.#bytes.queue.pushEvent(event);
        return true;
      case 'viewers':
      case 'notice':
        this.#bytes.queue.pushEvent(event);
        return true;
      case 'taken-over':
        this.#bytes.endWith(event);
        return true;
      default:
        return false;
    }
  }

  /** Sends the change; it is kept until there is an answer. */
  #say(change: ViewChange): void {
    this.#unsaid = { ...this.#unsaid, ...change };
    const { answered } = this.#bytes;
    if (answered === null || Object.keys(this.#unsaid).length === 0) return;
    const { connection, channel } = answered;
    const said = this.#unsaid;
    this.#unsaid = {};
    connection.request('view', { channel, ...said }).catch((error: unknown) => {
      // The link broke: it is sent again on the next one. If the session has ended instead, the change is not needed.
      if (error instanceof BrokenConnection) this.#unsaid = { ...said, ...this.#unsaid };
      else if (!SpoolError.is(error)) throw error;
    });
  }
}

/** Loads the terminal code on demand: it is several times the size of the rest of this package. */
const loadVt = (): Promise<Vt> => import('@spool/vt');
