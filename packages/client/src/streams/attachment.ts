/**
 * A viewer of a session, which can type into it: first a snapshot, then every byte from there on, exactly once, then
 * the end. `Subscription` follows the bytes; this class adds what a viewer needs.
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
import { Subscription, type SubscriptionOptions } from './subscription.ts';
import type { Requester } from '../link/requests.ts';
import { type SendTyped, TypedStream } from './typed-stream.ts';
import type { AttachItem } from './watch-queue.ts';

export interface AttachOptions extends SubscriptionOptions {
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

export class Attachment extends Subscription<AttachItem> {
  readonly #options: AttachOptions;
  readonly #typing: string;
  readonly #typed = new TypedStream();
  #size: Size | undefined;
  #isFocused: boolean | undefined;
  #colours: TerminalColours | undefined;
  /** Not sent yet: it changed before there was an answer. */
  #unsaid: ViewChange = {};

  constructor(requester: Requester, session: string, options: AttachOptions, typing: string) {
    super(requester, session, options);
    this.#options = options;
    this.#typing = typing;
    this.#colours = options.colours;
    this.#size = options.isReadOnly === true ? undefined : options.size;
    this.reached = options.from;
    this.start();
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

  protected ask(connection: Connection, creditBytes: number, channel: Channel): number {
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
        session: this.session,
        creditBytes,
        from: this.reached,
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
      { onFrame: (frame) => channel.onFrame(frame), onBroken: (broken) => this.#hearBroken(broken, channel) },
    );
  }

  #hearBroken(broken: Broken, channel: Channel): void {
    this.#typed.pause();
    channel.onBroken(broken);
  }

  protected hearAnswer(answer: unknown): void {
    const { id, typedOffset } = answer as Requests['attach']['answer'];
    this.settle(id, this.reached);
    if (this.stay === null) return; // it was another session
    const { connection, channel } = this.stay;
    const send: SendTyped = (offset, bytes) =>
      connection.send(encodeFrame(FrameType.input, channel, encodeInput(id, bytes), offset, FrameFlag.typed));
    if (!this.#typed.resume(typedOffset, send))
      this.queue.pushEvent({ type: 'input-refused', offset: typedOffset, code: 'INPUT_UNCONFIRMED' });
    this.#say({});
  }

  protected override hearOther(frame: Frame): void {
    if (frame.type === FrameType.typed) return this.#typed.confirm(frame.offset);
    if (frame.type !== FrameType.snapshot) return super.hearOther(frame);
    if (!this.stay!.isAnswered) throw this.fault({ reason: 'a snapshot before the answer' });
    this.jump(frame.offset);
    this.queue.pushEvent({ type: 'snapshot', offset: frame.offset, bytes: new Uint8Array(frame.payload) });
  }

  protected override hearEvent(event: WatchEvent): void {
    switch (event.type) {
      case 'input-refused':
        this.#typed.confirm(event.offset);
        return this.queue.pushEvent(event);
      case 'viewers':
      case 'notice':
        return this.queue.pushEvent(event);
      case 'taken-over':
        return this.endWith(event);
      default:
        return super.hearEvent(event);
    }
  }

  protected override onEnd(): void {
    this.#typed.end();
  }

  /** Sends the change; before the answer it is kept until then. */
  #say(change: ViewChange): void {
    this.#unsaid = { ...this.#unsaid, ...change };
    if (!this.stay?.isAnswered || Object.keys(this.#unsaid).length === 0) return;
    const { connection, channel } = this.stay;
    const said = this.#unsaid;
    this.#unsaid = {};
    connection.request('view', { channel, ...said }).catch((error: unknown) => {
      // The link broke: it is sent again on the next one. Or the session has ended: then it is not needed.
      if (error instanceof Broken) this.#unsaid = { ...said, ...this.#unsaid };
      else if (!SpoolError.is(error)) throw error;
    });
  }
}
