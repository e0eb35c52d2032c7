/** Notices that the other end of a link is gone: networks fail silently. Every byte counts as a sign of life; without one, it is pinged. */
import type { Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/** The interval of pings on a silent link; two machines exchange less than 100 bytes with each. */
const PING_MS = 2000;

/** The silence after which a link counts as dead. Streams then continue over the next one, by offset. */
const SILENCE_MS_MAX = 6000;

export function watchHealth(session: Http2Session, duplex: Duplex): void {
  let heardAt = performance.now();
  let lookedAt = heardAt;
  duplex.on('data', () => (heardAt = performance.now()));
  const timer = setInterval(() => {
    const now = performance.now();
    // Time in which this process did not run says nothing about the other end.
    if (now - lookedAt > 2 * PING_MS) heardAt = now;
    lookedAt = now;
    if (now - heardAt >= SILENCE_MS_MAX) return session.destroy();
    if (now - heardAt >= PING_MS && !session.destroyed) session.ping(() => {});
  }, PING_MS);
  session.once('close', () => clearInterval(timer));
}
