/**
 * The browsers that want to be notified, and the key that identifies this gateway to push services. A subscription belongs to the
 * token that made it, and ends with it. Keeps NOTE-2.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SpoolError } from '@spool/protocol';
import { makeVapidKey, type VapidKey } from './push-message.ts';

export interface PushTarget {
  readonly id: string;
  /** The id of the token. */
  readonly token: string;
  /** The share link by which its browser logged in. */
  readonly link?: string | undefined;
  readonly endpoint: string;
  /** The keys, both in base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly createdAt: number;
}

const PER_TOKEN_MAX = 5;
/** The maximum for all browsers of one share link, which share it. */
const PER_LINK_MAX = 50;
const ALL_MAX = 200;

interface PushFile {
  readonly key: VapidKey;
  readonly subscriptions: readonly PushTarget[];
}

export class PushTargets {
  readonly #folder: string;
  #stored: PushFile | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get key(): VapidKey {
    return this.#read().key;
  }

  all(): readonly PushTarget[] {
    return this.#read().subscriptions;
  }

  of(token: string): readonly PushTarget[] {
    return this.all().filter((one) => one.token === token);
  }

  /** Adds a subscription. A browser subscribes repeatedly: its address is kept once, and its oldest subscription is dropped. */
  add(token: string, { endpoint, keys, link }: Pick<PushTarget, 'endpoint' | 'keys' | 'link'>): PushTarget {
    const others = this.all().filter((one) => one.endpoint !== endpoint);
    const own = others.filter((one) => one.token === token);
    const kept = own.length < PER_TOKEN_MAX ? others : others.filter((one) => one !== own[0]);
    if (link !== undefined && kept.filter((one) => one.link === link).length >= PER_LINK_MAX)
      throw new SpoolError('TOO_MANY', { subscriptions: PER_LINK_MAX });
    if (kept.length >= ALL_MAX) throw new SpoolError('TOO_MANY', { subscriptions: ALL_MAX });
    const made = {
      id: randomBytes(8).toString('hex'),
      token,
      endpoint,
      keys,
      createdAt: Date.now(),
      ...(link !== undefined && { link }),
    };
    this.#write([...kept, made]);
    return made;
  }

  /** Returns false if none was removed. */
  remove(isGone: (one: PushTarget) => boolean): boolean {
    const kept = this.all().filter((one) => !isGone(one));
    if (kept.length === this.all().length) return false;
    this.#write(kept);
    return true;
  }

  #read(): PushFile {
    if (this.#stored) return this.#stored;
    try {
      this.#stored = JSON.parse(readFileSync(this.#path, 'utf8')) as PushFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      this.#stored = { key: makeVapidKey(), subscriptions: [] };
      this.#write([]);
    }
    return this.#stored;
  }

  #write(subscriptions: readonly PushTarget[]): void {
    this.#stored = { ...this.#stored!, subscriptions };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.tmp`, JSON.stringify(this.#stored), { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
  }

  get #path(): string {
    return `${this.#folder}/push.json`;
  }
}
