/**
 * One connection to a NATS server. It does not reconnect by itself: messages may be lost meanwhile, so its user starts again with the next one. The
 * library is loaded with the first connection.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rootCertificates } from 'node:tls';
import { SpoolError } from '@spool/protocol';
import { NKey } from './nkey.ts';

const CONNECT_WITHIN_MS = 5000;

/** The interval of pings, of which two may stay unanswered. */
const PING_MS = 2000;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const NO_RESPONDERS = 503;

export interface FleetAddress {
  readonly url: string;
  readonly fleet: string;
  /** The file with the nkey of this machine. */
  readonly seedFile: string;
  /** A file with certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

/** A message, or the news that no one listens on the subject of one that named this subject for the answer. */
type OnMessage = (subject: string, message: Buffer, isUnheard: boolean) => void;

export interface NatsConnection {
  readonly key: NKey;
  readonly closed: Promise<void>;
  publish(subject: string, message: Uint8Array, answerOn?: string): void;
  subscribe(subject: string, onMessage: OnMessage): void;
  /** Called with a subject that the server does not allow. */
  onRefused: (subject: string) => void;
  /** Resolves when the server has everything that was published before. */
  flush(): Promise<void>;
  close(): void;
}

/** Returns the address of a server as it is stored. Throws unless it is one. */
export function natsAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.username !== '' || url.hostname === '')
    throw new SpoolError('REQUEST_INVALID', { reason: 'expected nats://HOST:PORT or tls://HOST:PORT' });
  return `${url.protocol}//${url.host}`;
}

/** Connects. TLS is required, except on loopback. */
export async function connectNats({ url, seedFile, ca }: FleetAddress): Promise<NatsConnection> {
  const { protocol, hostname, host } = new URL(url);
  const key = NKey.at(seedFile);
  const isTls = protocol === 'tls:' || !LOOPBACK.test(hostname);
  // The library passes on what it does not know; it names no host itself if that is an address, and Node would compare with `localhost`.
  const tls = {
    host: hostname,
    ...(ca !== undefined && { ca: [...rootCertificates, readFileSync(ca, 'utf8')].join('\n') }),
  };
  const { connect } = await library();
  const client = await connect({
    servers: host.includes(':') ? host : `${host}:4222`,
    name: 'spool',
    reconnect: false,
    timeout: CONNECT_WITHIN_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ignoreClusterUpdates: true,
    ...(isTls && { tls }),
    authenticator: (nonce = '') => {
      // The key signs other texts too, which begin with words and have lines: a server must not obtain one of these.
      if (!/^[\w-]{1,64}$/.test(nonce))
        throw new SpoolError('NOT_ALLOWED', { reason: 'the server asks for a strange proof' });
      return { nkey: key.public, sig: key.sign(nonce) };
    },
  }).catch((error: Error) => {
    throw new SpoolError('HOST_UNREACHABLE', { host: url, reason: error.message }, { cause: error });
  });
  const connection: NatsConnection = {
    key,
    closed: client.closed().then(() => {}),
    onRefused: () => {},
    publish(subject, message, answerOn) {
      if (!client.isClosed()) client.publish(subject, message, answerOn === undefined ? {} : { reply: answerOn });
    },
    subscribe(subject, onMessage) {
      client.subscribe(subject, {
        callback: (error, message) => {
          if (error) return connection.onRefused(subject);
          const isUnheard = message.headers?.code === NO_RESPONDERS;
          onMessage(message.subject, Buffer.from(message.data), isUnheard);
        },
      });
    },
    flush: async () => await client.flush().catch(() => {}), // the connection has ended
    close: () => void client.close().catch(() => {}),
  };
  void (async () => {
    for await (const status of client.status()) {
      const subject = 'error' in status ? refusedSubject(status.error) : null;
      if (subject !== null) connection.onRefused(subject);
    }
  })();
  return connection;
}

/** Returns the subject of a permissions violation. */
function refusedSubject(error: Error): string | null {
  const { operation, subject } = error as Error & { readonly operation?: unknown; readonly subject?: unknown };
  return operation === 'publish' && typeof subject === 'string' ? subject : null;
}

async function library(): Promise<typeof import('./library-main.ts')> {
  const bundled = new URL('./nats.mjs', import.meta.url);
  const sources = new URL('./library-main.ts', import.meta.url);
  if (existsSync(fileURLToPath(bundled))) return (await import(bundled.href)) as typeof import('./library-main.ts');
  if (existsSync(fileURLToPath(sources))) return (await import(sources.href)) as typeof import('./library-main.ts');
  throw new SpoolError('NOT_ALLOWED', { reason: 'this daemon is from before an upgrade; run `spool daemon restart`' });
}
