/**
 * A viewer of a session, which can type into it: first a snapshot, then every byte from there on, exactly once, then
 * the end. `ByteStream` follows the bytes; this class adds what a viewer needs.
 *
 * A snapshot may come at any time: for a viewer that fell behind, or lost the link for too long. It replaces everything
 * that waited before it. Typed input arrives exactly once too, in its own stream (`TypedStream`).
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
import { Broken, type Channel, type Connection } from '../link/connection.ts';
import type { Requester } from '../link/requests.ts';
import { ByteStream, type ByteStreamOptions } from './byte-stream.ts';
import { Reading } from './reading.ts';
import { type SendTyped, TypedStream } from './typed-stream.ts';
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
}

export interface ViewChange {
  readonly size?: Size | undefined;
  readonly isFocused?: boolean | undefined;
  readonly colours?: TerminalColours | undefined;
  /** Requests a snapshot of the present. */
  readonly wantsSnapshot?: true | undefined;
}

export class Attachment extends Reading<AttachItem> {
  readonly #bytes: ByteStream;
  readonly #options: AttachOptions;
  readonly #typing: string;
  readonly #typed = new TypedStream();
  #size: Size | undefined;
  #isFocused: boolean | undefined;
  #colours: TerminalColours | undefined;
  /** Not sent yet: it changed before there was an answer. */
  #unsaid: ViewChange = {};

  constructor(requester: Requester, session: string, options: AttachOptions, typing: string) {
    super();
    this.#bytes = new ByteStream(requester, session, options, {
      ask: (connection, creditBytes, channel) => this.#ask(connection, creditBytes, channel),
      onAnswer: (answer) => this.#onAnswer(answer as Requests['attach']['answer']),
      onEvent: (event) => this.#onEvent(event),
      onFrame: (frame) => this.#onFrame(frame),
      onBroken: () => this.#typed.pause(),
      onEnd: () => this.#typed.end(),
    });
    this.#options = options;
    this.#typing = typing;
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

  next(): Promise<IteratorResult<AttachItem, undefined>> {
    return this.#bytes.next();
  }

  close(): void {
    this.#bytes.close();
  }

  /** Typed bytes that are not confirmed to be in the terminal. */
  get unconfirmedBytes(): number {
    return this.#typed.unconfirmedBytes;
  }

  /**
   * Types. Usually resolves at once; when a megabyte is in flight, as soon as there is room again. Refused input is
   * reported as an item, `input-refused`.
   */
  async type(bytes: Uint8Array): Promise<void> {
    if (this.#options.isReadOnly === true) throw new SpoolError('NOT_ALLOWED', { reason: 'this viewer is read-only' });
    await this.#typed.type(bytes);
  }

  /** Resolves when everything typed is in the terminal, or refused, or will never arrive. */
  settled(): Promise<void> {
    return this.#typed.settled();
  }

  /** The viewer's size, focus or colours have changed. Sent now, and again after a break. */
  view({ size, isFocused, colours, wantsSnapshot }: ViewChange): void {
    if (colours !== undefined) this.#colours = colours;
    if (isFocused !== undefined) this.#isFocused = isFocused;
    if (size !== undefined && this.#options.isReadOnly !== true) this.#size = size;
    this.#say({
      ...(size && this.#options.isReadOnly !== true ? { size } : {}),
      ...(isFocused === undefined ? {} : { isFocused }),
      ...(colours && { colours }),
      ...(wantsSnapshot && { wantsSnapshot }),
    });
  }

  #ask(connection: Connection, creditBytes: number, channel: Channel): number {
    const { isReadOnly, takeover, historyLines, followsSize } = this.#options;
    const isFirst = this.id === undefined;
    // A resize during the break is sent again, because it counts as activity.
    const { size, wantsSnapshot } = isFirst ? {} : this.#unsaid;
    this.#unsaid = {
      ...(this.#isFocused !== undefined && { isFocused: this.#isFocused }),
      ...(size && { size }),
      ...(wantsSnapshot && { wantsSnapshot }),
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
        typing: this.#typing,
      },
      channel,
    );
  }

  #onAnswer({ id, typedOffset }: Requests['attach']['answer']): void {
    this.#bytes.settle(id, this.#bytes.reached);
    if (this.#bytes.answered === null) return; // it was another session
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
