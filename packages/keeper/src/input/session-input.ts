/**
 * The input of one session, from all clients: written once, confirmed when it is in the terminal, and recorded so that the next
 * keeper continues where this one stopped. Keeps IN-10, and the input part of LIFE-1.
 *
 * Input comes in three ways: bytes of a client, with or without an idempotency key (`write`, `writeOnce`), bytes of a viewer at
 * an offset of its input stream (`typed`), and the daemon's answers to terminal queries (`answer`). Keeps IN-6: the client that
 * types is recorded with the input, and each change of it in the history.
 */
import { endsWithEnter } from '@spool/status';
import { SpoolError } from '@spool/protocol';
import type { Watcher } from '../viewers/watcher.ts';
import type { Child } from '../children/child.ts';
import { COOKED_LINE_BYTES_MAX, CookedLine } from './cooked-line.ts';
import { EndOfInput } from './end-of-input.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { InputJournal, type InputAuthor } from './journal.ts';
import { PasteWatch } from './paste-watch.ts';
import type { OnWritten } from './input-sink.ts';
import { INPUT_QUEUE_BYTES_MAX } from './queue.ts';
import { steadyNow } from '../screens/steady-clock.ts';

export interface SessionInputOptions {
  readonly folder: string;
  name(): string;
  /** Returns the child; null if it has ended. */
  child(): Child | null;
  /** Called when a client types; `isEntered`: with Enter at the end. */
  onTyped(at: number, isEntered: boolean): void;
  /** Called when a client begins to type: another one than before, or the same after a long pause. */
  onTypist(typist: InputAuthor): void;
}

/** The bytes at the end of the input that are searched for Enter: a key, or the end of a text. */
const ENTER_BYTES_MAX = 4096;

const CARRIAGE_RETURN = 0x0d;
/** The length of Enter in kitty's protocol, `CSI 13 u`. */
const ENTER_CODE_BYTES_MIN = 5;

/** After this pause, the same client is recorded in the history again. */
export const TYPIST_AGAIN_MS = 10 * 60_000;

export class SessionInput {
  readonly journal: InputJournal;
  readonly #options: SessionInputOptions;
  readonly #keys: IdempotencyKeys;
  readonly #keysUnderWay = new Map<string, Promise<void>>();
  /** The end of each input stream that has bytes in the queue. */
  readonly #streamsUnderWay = new Map<string, number>();
  readonly #paste = new PasteWatch();
  readonly #cookedLine = new CookedLine();
  readonly #answers: { readonly bytes: Uint8Array; readonly upTo: number }[] = [];
  #answerTimer: NodeJS.Timeout | null = null;
  /** The pending end of the input; null until it is due. */
  #end: EndOfInput | null = null;

  constructor(options: SessionInputOptions) {
    this.#options = options;
    this.journal = new InputJournal(options.folder);
    this.#keys = new IdempotencyKeys(options.folder);
  }

  /** The client that typed last, and the time, including input from before this keeper. */
  get lastTyped(): InputAuthor | null {
    return this.journal.typist;
  }

  /** The number of bytes that are typed, but not yet read by the child: a terminal may echo them nevertheless. */
  get unreadBytes(): number {
    return this.#options.child()?.unreadBytes ?? 0;
  }

  /** Whether the terminal hands over whole lines. */
  get readsByLine(): boolean {
    return this.#options.child()?.readsByLine ?? false;
  }

  /** The number of bytes that were received from a client, but are not yet in the terminal: only this process has them. */
  get queuedBytes(): number {
    return this.#options.child()?.queuedBytes ?? 0;
  }

  write(bytes: Uint8Array, who: string): Promise<void> {
    this.#recordTyped(who, bytes);
    return this.#pushTyped(bytes);
  }

  hasTyped(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Types bytes with an idempotency key once. Returns false if they had been typed before. */
  async writeOnce(key: string, bytes: Uint8Array, who: string | null): Promise<boolean> {
    if (this.#keys.has(key)) return false;
    const first = this.#keysUnderWay.get(key);
    if (first) return first.then(() => false);
    if (who !== null) this.#recordTyped(who, bytes);
    // A keeper that died in the middle of the write has recorded its position.
    const stream = this.#keys.streamOf(key);
    const known = Math.min(this.journal.typedOf(stream), bytes.length);
    const hasEscrow = this.#options.child()?.hasInputEscrow === true;
    const typed = this.#pushTyped(bytes.subarray(known), (written) => {
      const isWhole = known + written === bytes.length;
      if (hasEscrow || !isWhole) this.journal.recordTyped(stream, known + written);
      if (isWhole) this.#keys.add(key);
    }).finally(() => {
      this.#keysUnderWay.delete(key);
      if (hasEscrow && this.#keysUnderWay.size === 0) this.journal.release(); // lines for an agent are rare
    });
    this.#keysUnderWay.set(key, typed);
    await typed;
    return true;
  }

  /**
   * Takes input of a viewer, at an offset of its input stream; bytes that have arrived before are not written again. Returns
   * false if all of them had arrived before.
   */
  typed(watcher: Watcher, who: string, stream: string, offset: number, bytes: Uint8Array): boolean {
    const end = offset + bytes.length;
    const known = Math.max(this.journal.typedOf(stream), this.#streamsUnderWay.get(stream) ?? 0);
    const fresh = bytes.subarray(Math.max(0, known - offset));
    if (fresh.length === 0) {
      watcher.confirm(Math.min(end, this.journal.typedOf(stream)));
      return false;
    }
    this.#streamsUnderWay.set(stream, end);
    const note = (upTo: number): void => {
      this.journal.recordTyped(stream, upTo);
      if (upTo === end && this.#streamsUnderWay.get(stream) === end) this.#streamsUnderWay.delete(stream);
    };
    this.#pushTyped(fresh, (written) => {
      const upTo = end - fresh.length + written;
      note(upTo);
      if (upTo === end) watcher.confirm(end);
    }).catch((error: unknown) => {
      if (!SpoolError.is(error)) throw error;
      note(end);
      watcher.emit({ type: 'input-refused', offset: end, code: error.code });
    });
    this.#recordTyped(who, fresh);
    return true;
  }

  /** Answers a terminal query once, and records it as answered. The answer waits for the end of a paste. */
  answer(bytes: Uint8Array, upTo: number): void {
    const waitMs = this.#paste.openMs(performance.now());
    this.#answers.push({ bytes, upTo });
    if (waitMs === 0) this.#giveAnswers();
    else this.#answerTimer ??= setTimeout(() => this.#giveAnswers(), waitMs);
  }

  /** Records that there are no other queries before this offset. */
  answeredUpTo(offset: number): void {
    if (this.#answers.length === 0 && offset > this.journal.answeredTo) this.journal.recordAnswered(offset);
  }

  /** Types bytes of the daemon itself, such as a focus report. */
  push(bytes: Uint8Array, onWritten?: OnWritten): Promise<void> {
    const child = this.#options.child();
    if (!child) return Promise.reject(new SpoolError('SESSION_EXITED', { session: this.#options.name() }));
    return child.push(bytes, onWritten);
  }

  /** Ends the input after the queued bytes; later input of any client cancels the end. This is for a child on a terminal. */
  async end(child: Child): Promise<void> {
    await child.push(new Uint8Array(0));
    if (this.#options.child() !== child) return; // the child has ended
    this.journal.recordEnded(true);
    this.resumeEnd(child);
  }

  /** Continues, in a new keeper, to end the input. */
  resumeEnd(child: Child): void {
    if (!this.journal.isEnded) return;
    this.#end ??= new EndOfInput(child.inputTerminal);
    this.#end.start();
  }

  /** Ends the input of a child that has ended. */
  close(): void {
    this.#end?.cancel();
    this.journal.close();
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#answers.length = 0;
  }

  #giveAnswers(): void {
    if (this.#answerTimer) clearTimeout(this.#answerTimer);
    this.#answerTimer = null;
    for (const { bytes, upTo } of this.#answers.splice(0)) {
      void this.push(bytes).catch(() => {}); // the child has ended, or does not read, so it does not wait for the answer
      this.journal.recordAnswered(upTo);
    }
  }

  /** Pushes input of clients, which may be a part of a paste; answers of the daemon are pushed elsewhere. */
  #pushTyped(bytes: Uint8Array, onWritten?: OnWritten): Promise<void> {
    const tooLong = this.#lineTooLong(bytes);
    if (tooLong) return Promise.reject(tooLong);
    if (this.journal.isEnded) {
      this.#end?.cancel();
      this.journal.recordEnded(false);
    }
    this.#paste.note(bytes, performance.now());
    const typed = this.push(bytes, onWritten);
    if (this.#answers.length > 0 && this.#paste.openMs(performance.now()) === 0) this.#giveAnswers();
    return typed;
  }

  /** Returns an error for a line that the kernel would cut silently. */
  #lineTooLong(bytes: Uint8Array): SpoolError | null {
    const child = this.#options.child();
    if (!child?.isTerminal) return null;
    if (!child.readsByLine) {
      this.#cookedLine.clear();
      return null;
    }
    const longest = this.#cookedLine.longestWith(bytes);
    if (longest > COOKED_LINE_BYTES_MAX)
      return new SpoolError('LINE_TOO_LONG', { session: this.#options.name(), bytes: longest });
    // Input that the queue refuses is not typed, so its sender repeats it.
    if (child.queuedBytes + bytes.length <= INPUT_QUEUE_BYTES_MAX) this.#cookedLine.take(bytes);
    return null;
  }

  #recordTyped(who: string, bytes: Uint8Array): void {
    const typist = { who, at: Date.now() };
    const before = this.lastTyped;
    this.journal.recordTypist(typist);
    this.#options.onTyped(steadyNow(), this.#isEnter(bytes));
    if (before?.who !== who || typist.at - before.at > TYPIST_AGAIN_MS) this.#options.onTypist(typist);
  }

  #isEnter(bytes: Uint8Array): boolean {
    // The common case is one short key: Enter in any other form than the plain one is longer.
    if (bytes.length < ENTER_CODE_BYTES_MIN && bytes.at(-1) !== CARRIAGE_RETURN) return false;
    if (this.#paste.openMs(performance.now()) > 0) return false;
    return endsWithEnter(Buffer.from(bytes.subarray(-ENTER_BYTES_MAX)).toString('latin1'));
  }
}
