/**
 * Input on its way to sessions: in the order of the calls, confirmed when it is in the terminal.
 *
 * Input that fits one frame is sent at once, so a keystroke is not delayed. Longer input is sent frame by frame, each after the
 * previous one was confirmed: a failure then leaves a prefix of the bytes in the session, never a gap. A full queue is reported
 * to the caller if no byte of the write was accepted; later, the write waits. No byte is ever sent twice; when the link breaks
 * during a write, it is unknown whether it arrived, and the error reports this.
 */
import { INPUT_BYTES_MAX, SpoolError } from '@spool/protocol';
import { BrokenConnection, type Connection } from './link/connection.ts';
import { closed } from './link/link.ts';
import type { Requester } from './link/requests.ts';
import { type Runtime, utf8 } from './link/runtime.ts';

/** The input frame contains the length of the session's name in one byte, then the name. */
const REFERENCE_BYTES_MAX = 255;

/** The maximum in the socket: more means that the keeper does not read, so the write waits instead of filling the memory. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** The delay before a full queue is tried again: another client has filled it, and the session reads at its own pace. */
const QUEUE_FULL_MS = 50;

export class Input {
  readonly #requester: Requester;
  readonly #runtime: Runtime;
  /** The write of each session name that later ones wait for, until it has sent its last frame. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(requester: Requester, runtime: Runtime) {
    this.#requester = requester;
    this.#runtime = runtime;
  }

  /** Resolves when all bytes are in the terminal. Writes to the same session name arrive in the order of the calls. */
  write(session: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return Promise.resolve();
    const before = this.#turns.get(session);
    const connection = this.#requester.link.current;
    const isShort = bytes.length <= INPUT_BYTES_MAX && isShortName(session);
    if (before === undefined && connection !== null && isShort && connection.bufferedBytes < BUFFERED_BYTES_MAX) {
      return this.#send(connection, session, bytes, 0);
    }
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    this.#turns.set(session, sent);
    const allSent = (): void => {
      resolve();
      if (this.#turns.get(session) === sent) this.#turns.delete(session);
    };
    return this.#inTurn(before, session, bytes, allSent).finally(allSent);
  }

  async #inTurn(
    before: Promise<void> | undefined,
    session: string,
    bytes: Uint8Array,
    allSent: () => void,
  ): Promise<void> {
    await before;
    // All frames must reach the same session, even if its name moves to another one in between.
    const isShort = bytes.length <= INPUT_BYTES_MAX && isShortName(session);
    const target = isShort ? session : await this.#requester.id(session);
    for (let at = 0; at < bytes.length;) {
      const connection = await this.#roomyConnection();
      const confirmed = this.#send(connection, target, bytes.subarray(at, at + INPUT_BYTES_MAX), at);
      // If no byte was accepted yet, a refusal ends the write, so later writes need not wait for the answer.
      if (bytes.length <= INPUT_BYTES_MAX) allSent();
      try {
        await confirmed;
        at += INPUT_BYTES_MAX;
      } catch (error) {
        if (at === 0 || !SpoolError.is(error, 'INPUT_QUEUE_FULL')) throw error;
        await this.#runtime.sleep(QUEUE_FULL_MS);
      }
    }
  }

  async #roomyConnection(): Promise<Connection> {
    const { link } = this.#requester;
    for (;;) {
      if (link.isClosed) throw closed();
      const connection = link.current ?? (await link.connection());
      if (connection.bufferedBytes < BUFFERED_BYTES_MAX) return connection;
      await connection.drained();
    }
  }

  async #send(connection: Connection, session: string, bytes: Uint8Array, confirmedBytes: number): Promise<void> {
    try {
      await connection.input(session, bytes);
    } catch (error) {
      // `confirmedBytes`: the number of bytes of the write that have certainly arrived.
      if (error instanceof BrokenConnection)
        throw new SpoolError('INPUT_UNCONFIRMED', { confirmedBytes }, { cause: error.reason });
      throw error;
    }
  }
}

function isShortName(session: string): boolean {
  return session.length * 3 <= REFERENCE_BYTES_MAX || utf8(session).length <= REFERENCE_BYTES_MAX;
}
