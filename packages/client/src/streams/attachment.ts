/**
 * A viewer of a session, which can type into it: first a snapshot, then every byte from there on, exactly once, then
 * the end. `ByteStream` follows the bytes; this class adds what a viewer needs.
 *
 * A snapshot may come at any time: for a viewer that fell behind, or lost the link for too long. It replaces everything
 * that waited before it. Typed input arrives exactly once too, in its own stream (`TypedStream`).
 *
 * What is returned may be written to any terminal, and what a terminal sends may be typed: `ViewerOutput` and
 * `ViewerInput` keep the two apart that must not meet. Keeps ATT-11 and SIZE-8.
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
import { Broken, type Channel, type Connection } from '../link/connection.ts';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import type { Runtime } from '../link/runtime.ts';
import { utf8 } from '../link/runtime.ts';
import { type SendTyped, TypedStream } from './typed-stream.ts';
import { encodeKeys, screenModes } from './typing.ts';
import { ViewerInput } from './viewer-input.ts';
import { ViewerOutput, type ViewerPermissions, type Vt } from './viewer-output.ts';
import type { AttachItem } from './watch-queue.ts';

export interface AttachOptions extends ByteStreamOptions {
  /** The viewer's size. It counts towards the session's size if the viewer is not read-only. */
  readonly size?: Size | undefined;
  /** Read-only: nothing can be typed, and the size does not count. */
  readonly isReadOnly?: boolean | undefined;
  /** Detaches the other viewers that may type. */
  readonly takeover?: boolean | undefined;
  /** Sends this many lines of history before the first screen. */
  readonly historyLines?: number | undefined;
  /** The colours of the viewer's terminal; the child's colour queries are answered with them. */
  readonly colours?: TerminalColours | undefined;
  /** For a viewer whose screen already shows the state at this offset (0: blank); else a snapshot comes first. */
  readonly from?: number | undefined;
  /**
   * For a viewer that paints a session of any size: `resized` comes before each snapshot and with each change of size,
   * including its own.
   */
  readonly followsSize?: boolean | undefined;
  /**
   * For a viewer that shows the present rather than every byte: beyond this delay, it gets a snapshot instead of the backlog
   * (default: when it is a megabyte behind).
   */
  readonly lateMs?: number | undefined;
  /**
   * `terminal` (default): the bytes are safe to write to a terminal or an emulator, and what that one sends is safe to type:
   * queries and everything else that could harm it are taken out of the output, and its replies out of the input. An object
   * allows more (`{ allowClipboard: true }`). `none`: exact bytes both ways, for a viewer that filters by itself, or renders
   * nothing.
   */
  readonly filter?: 'terminal' | 'none' | ViewerPermissions | undefined;
  /** Items `modes`: after each snapshot, and at each change (default: true). */
  readonly tellsModes?: boolean | undefined;
  /** The session in whose terminal this is shown (SPOOL_SESSION): refused if that would be copied in a circle. */
  readonly inside?: string | undefined;
  /** Called when the link breaks (false), and before the first item after that (true). Nothing is lost meanwhile. */
  readonly onLink?: ((isUp: boolean) => void) | undefined;
}

export interface ViewChange {
  readonly size?: Size | undefined;
  readonly isFocused?: boolean | undefined;
  readonly colours?: TerminalColours | undefined;
  /** Requests a snapshot of the present. */
  readonly wantsSnapshot?: true | undefined;
  /** The lines above the screen that the snapshot is to have (default: 0). */
  readonly historyLines?: number | undefined;
}

/** A window that is dragged has another size with each frame: one of them is sent in this time, and the last one always. */
const RESIZE_EVERY_MS = 50;

export class Attachment extends Reading<AttachItem> {
  readonly #bytes: ByteStream;
  readonly #options: AttachOptions;
  readonly #typing: string;
  readonly #typed = new TypedStream();
  #size: Size | undefined;
  /** A size was sent a moment ago; the next one waits. */
  #hasJustResized = false;
  #hasLateSize = false;
  #isFocused: boolean | undefined;
  #colours: TerminalColours | undefined;
  /** Not sent yet: it changed before there was an answer. */
  #unsaid: ViewChange = {};
  readonly #requester: Requester;
  readonly #sleep: Runtime['sleep'];
  readonly #input: ViewerInput;
  readonly #isExact: boolean;
  #output: ViewerOutput | null = null;
  #next: AttachItem | null = null;

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
        this.#typed.pause();
        options.onLink?.(false);
      },
      onEnd: () => this.#typed.end(),
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

  /** The offset after the last byte that the reader has taken: where to continue another time. */
  get cursor(): number | undefined {
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

  /** The bytes that undo what the session has set, for a terminal that is left. */
  leave(): Uint8Array {
    return this.#output?.leave() ?? new Uint8Array(0);
  }

  close(): void {
    this.#bytes.close();
  }

  /** Typed bytes that are not confirmed to be in the terminal. */
  get unconfirmedBytes(): number {
    return this.#typed.unconfirmedBytes;
  }

  /**
   * Types what a terminal sent, without its replies to queries (the daemon has answered them); with the filter `none`, the
   * exact bytes. Usually resolves at once; when a megabyte is in flight, as soon as there is room again. Refused input is
   * reported as an item, `input-refused`.
   */
  async type(bytes: Uint8Array | string): Promise<void> {
    this.#checkTyping();
    const given = typeof bytes === 'string' ? utf8(bytes) : bytes;
    await (this.#isExact ? this.#input.pass(given) : this.#input.feed(given));
  }

  /** Named keys, one after the other, in the form that the program has enabled: `['Up', 'C-c', 'Enter']`. */
  async keys(words: readonly string[]): Promise<void> {
    this.#checkTyping();
    await this.#input.send(async (vt) => encodeKeys(vt, words, () => this.#modes(vt)));
  }

  /** Text as a paste: bracketed if the program has enabled that, so that newlines submit nothing. */
  async paste(text: string): Promise<void> {
    this.#checkTyping();
    await this.#input.send(async (vt) => [vt.paste(utf8(text), await this.#modes(vt))]);
  }

  /** Resolves when everything typed is in the terminal, or refused, or will never arrive. */
  async settled(): Promise<void> {
    await this.#input.flushed();
    await this.#typed.settled();
  }

  /** The viewer's size, focus or colours have changed. Sent now (sizes: 20 in a second), and again after a break. */
  view({ size, isFocused, colours, wantsSnapshot, historyLines }: ViewChange): void {
    if (colours !== undefined) this.#colours = colours;
    if (isFocused !== undefined) this.#isFocused = isFocused;
    this.#say({
      ...(size && this.#options.isReadOnly !== true && this.#mayResizeTo(size) ? { size } : {}),
      ...(isFocused === undefined ? {} : { isFocused }),
      ...(colours && { colours }),
      ...(wantsSnapshot && { wantsSnapshot, historyLines }),
    });
  }

  /** False: it will be sent later, unless yet another one comes. */
  #mayResizeTo(size: Size): boolean {
    this.#size = size;
    const isSent = this.#bytes.answered !== null; // else only the last one waits for the link
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
    if (this.#options.isReadOnly === true) throw new SpoolError('NOT_ALLOWED', { reason: 'this viewer is read-only' });
  }

  /** An item as the viewer may have it; the modes after it come next if they have changed. */
  async #shown(item: AttachItem): Promise<AttachItem> {
    if (item.type !== 'snapshot' && item.type !== 'output') return item;
    const output = (this.#output ??= await this.#begin(item));
    const bytes = item.type === 'snapshot' ? output.snapshot(item.bytes) : output.output(item.bytes);
    const offset = item.type === 'snapshot' ? item.offset : item.offset + item.bytes.length;
    const modes = this.#options.tellsModes === false ? null : output.changed();
    if (modes) this.#next = { type: 'modes', offset, ...modes };
    return item.type === 'snapshot' ? { ...item, bytes } : { ...item, bytes, end: offset };
  }

  /** A viewer that continues at an offset without a snapshot has the modes of that offset. */
  async #begin({ type, offset }: AttachItem & { readonly offset: number }): Promise<ViewerOutput> {
    const vt = await loadVt();
    const { filter, isReadOnly } = this.#options;
    const permissions = typeof filter === 'object' ? filter : {};
    const modes = type === 'snapshot' || offset === 0 ? vt.INITIAL_MODES : await this.#modesAt(vt, offset);
    return new ViewerOutput(vt, { ...permissions, isFiltered: !this.#isExact, isTyping: isReadOnly !== true }, modes);
  }

  /** Those of the last item, if that is the present; else the daemon knows them. */
  async #modes(vt: Vt): Promise<ModeState> {
    const isPresent = this.#output !== null && this.#bytes.answered !== null && this.#bytes.queue.length === 0;
    return isPresent ? this.#output!.state : this.#modesAt(vt);
  }

  async #modesAt(vt: Vt, offset?: number): Promise<ModeState> {
    return screenModes(this.#requester, vt, this.#bytes.session, offset);
  }

  #ask(connection: Connection, creditBytes: number, channel: Channel): number {
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
        // Only once: clients that attached during a break may stay.
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
    if (this.#bytes.answered === null) return; // it was another session
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

  /** Sends the change; before the answer it is kept until then. */
  #say(change: ViewChange): void {
    this.#unsaid = { ...this.#unsaid, ...change };
    const { answered } = this.#bytes;
    if (answered === null || Object.keys(this.#unsaid).length === 0) return;
    const { connection, channel } = answered;
    const said = this.#unsaid;
    this.#unsaid = {};
    connection.request('view', { channel, ...said }).catch((error: unknown) => {
      // The link broke: it is sent again on the next one. Or the session has ended: then it is not needed.
      if (error instanceof Broken) this.#unsaid = { ...said, ...this.#unsaid };
      else if (!SpoolError.is(error)) throw error;
    });
  }
}

/** Several times the size of the rest of this package: loaded on demand. */
const loadVt = (): Promise<Vt> => import('@spool/vt');
