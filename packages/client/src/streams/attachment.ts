/**
 * Somebody who looks at a session and types into it: first a snapshot, then every byte from there on, exactly once, then
 * the end. How bytes are followed is in `Subscription`; here is what a viewer has on top of that.
 *
 * A snapshot may come at any time: to one who fell behind, or who lost the link for too long. What waited before it is then
 * void. What is typed arrives exactly once too, in its own stream (`TypedStream`).
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
  /** The viewer's size. It counts towards the session's, unless the viewer only looks. */
  readonly size?: Size | undefined;
  /** Only look: nothing can be typed, and the size does not count. */
  readonly isReadOnly?: boolean | undefined;
  /** Others who may type are sent away. */
  readonly takeover?: boolean | undefined;
  /** So many lines of the past come before the first screen. */
  readonly historyLines?: number | undefined;
  /** Of the viewer's terminal; the child's questions about colours are answered with them. */
  readonly colours?: TerminalColours | undefined;
  /** For a viewer whose screen is already as it was at this offset (0: blank); else a snapshot comes first. */
  readonly from?: number | undefined;
  /**
   * For a viewer that paints a session of any size: `resized` comes before each snapshot and with each change of size, those
   * that the viewer caused itself included.
   */
  readonly followsSize?: boolean | undefined;
}

export interface ViewChange {
  readonly size?: Size | undefined;
  readonly isFocused?: boolean | undefined;
  readonly colours?: TerminalColours | undefined;
  /** Asks for a snapshot of the present. */
  readonly wantsSnapshot?: true | undefined;
}

export class Attachment extends Subscription<AttachItem> {
  readonly #options: AttachOptions;
  readonly #typing: string;
  readonly #typed = new TypedStream();
  #size: Size | undefined;
  #isFocused: boolean | undefined;
  #colours: TerminalColours | undefined;
  /** Told to nobody yet: it changed while no answer was there. */
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

  /** Where what was typed stands: bytes that are not yet known to be in the terminal. */
  get unconfirmedBytes(): number {
    return this.#typed.unconfirmedBytes;
  }

  /**
   * Types. Resolves at once as a rule; when a megabyte is under way, as soon as there is room again. What was not taken is
   * told as an item, `input-refused`.
   */
  async type(bytes: Uint8Array): Promise<void> {
    if (this.#options.isReadOnly === true) throw new SpoolError('NOT_ALLOWED', { reason: 'this viewer is read-only' });
    await this.#typed.type(bytes);
  }

  /** Resolves when all that was typed is in the terminal, or refused, or will never be. */
  settled(): Promise<void> {
    return this.#typed.settled();
  }

  /** The viewer's size, focus or colours have changed. Told now, and again after a break. */
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
    // A window that was resized during the break is told once more, for that counts as something done.
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
        // Once: whoever came during a break has come to stay.
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

  /** Says what has changed; before the answer it is kept for then. */
  #say(change: ViewChange): void {
    this.#unsaid = { ...this.#unsaid, ...change };
    if (!this.stay?.isAnswered || Object.keys(this.#unsaid).length === 0) return;
    const { connection, channel } = this.stay;
    const said = this.#unsaid;
    this.#unsaid = {};
    connection.request('view', { channel, ...said }).catch((error: unknown) => {
      // The link broke: it is said again on the next one. Or the session has ended: there is nobody to say it to.
      if (error instanceof Broken) this.#unsaid = { ...said, ...this.#unsaid };
      else if (!SpoolError.is(error)) throw error;
    });
  }
}
