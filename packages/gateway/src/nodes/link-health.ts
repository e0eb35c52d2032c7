/**
 * Detects that the other end of a link is gone: networks fail silently. Every byte counts as a sign of life; a silent link is
 * pinged. Keeps NODE-25: after a pause of this process, such as the sleep of a laptop, an answer is due at once.
 */
import type { Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/** The interval of pings on a silent link; two machines exchange less than 100 bytes with each. */
const PING_MS = 2000;

/** The silence after which a link counts as dead. Its streams then continue over the next link, by offset. */
const SILENCE_MS_MAX = 4000;

/**
 * The interval of the checks of the clock: a check that is late shows that this process or the machine was paused. One timer checks
 * all links.
 */
const LOOK_MS = 1000;

/** The time limit of an answer after such a pause: a router may have forgotten the connection meanwhile. */
const AFTER_PAUSE_MS = 1000;

const looks = new Set<() => void>();
let timer: NodeJS.Timeout | null = null;

export function watchHealth(session: Http2Session, duplex: Duplex): void {
  let heardAt = performance.now();
  let pingedAt = heardAt;
  let looked = { at: heardAt, wall: Date.now() };
  let deadline = Number.POSITIVE_INFINITY;
  duplex.on('data', () => {
    heardAt = performance.now();
    deadline = Number.POSITIVE_INFINITY;
  });
  const ping = (now: number): void => {
    pingedAt = now;
    if (!session.destroyed) session.ping(() => {});
  };
  const look = (): void => {
    const now = performance.now();
    // The first clock does not advance while a laptop sleeps.
    const pausedMs = Math.max(now - looked.at, Date.now() - looked.wall);
    looked = { at: now, wall: Date.now() };
    if (pausedMs > 2 * PING_MS) {
      heardAt = now; // the pause says nothing about the other end
      deadline = now + AFTER_PAUSE_MS;
      return ping(now);
    }
    if (now >= deadline || now - heardAt >= SILENCE_MS_MAX) {
      session.destroy();
      // HTTP/2 only ends the stream below it, and a WebSocket would then wait 30 s for the other end.
      duplex.destroy();
      return;
    }
    if (now - heardAt >= PING_MS && now - pingedAt >= PING_MS) ping(now);
  };
  looks.add(look);
  timer ??= setInterval(() => looks.forEach((each) => each()), LOOK_MS);
  session.once('close', () => {
    looks.delete(look);
    if (looks.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  });
}
