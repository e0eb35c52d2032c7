/** The links on which this machine serves others: the end of its gateway is announced on each, whatever the road. Keeps NODE-64. */
import { constants, type ServerHttp2Session } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { STOPPED } from './farewell.ts';

/** The time limit for all farewells; a machine that does not read is left without one. */
const WITHIN_MS = 300;

export class ServedLinks {
  readonly #sessions = new Set<ServerHttp2Session>();
  #isEnding = false;

  add(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    if (this.#isEnding) void leave(session);
  }

  /** Says farewell on every link, and on those that are opened later. Resolves when the links have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.race([Promise.all([...this.#sessions].map(leave)), pause(WITHIN_MS)]);
  }
}

async function leave(session: ServerHttp2Session): Promise<void> {
  if (session.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  session.once('close', resolve);
  session.goaway(constants.NGHTTP2_NO_ERROR, 0, STOPPED);
  session.destroy(); // it ends the stream below it after what is written
  await promise;
}
