/**
 * The browsers that want to be notified, and the key by which push services know this gateway. A subscription belongs to the token that
 * made it, and ends with it. Keeps NOTE-2.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SpoolError } from '@spool/protocol';
import { makeVapidKey, type VapidKey } from './push-message.ts';

export interface Subscription {
  readonly id: string;
  /** The id of the token. */
  readonly token: string;
  /** The share link that its browser came by. */
  readonly link?: string | undefined;
  readonly endpoint: string;
  /** Both in base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly createdAt: number;
}

const PER_TOKEN_MAX = 5;
/** Of all browsers of one share link: the places are for everybody. */
const PER_LINK_MAX = 50;
const ALL_MAX = 200;

interface Stored {
  readonly key: VapidKey;
  readonly subscriptions: readonly Subscription[];
}

export class PushBook {
  readonly #folder: string;
  #stored: Stored | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get key(): VapidKey {
    return this.#read().key;
  }

  all(): readonly Subscription[] {
    return this.#read().subscriptions;
  }

  of(token: string): readonly Subscription[] {
    return this.all().filter((one) => one.token === token);
  }

  /** The same browser subscribes again and again: its address is kept once, and its oldest gives way. */
  add(token: string, { endpoint, keys, link }: Pick<Subscription, 'endpoint' | 'keys' | 'link'>): Subscription {
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

  /** False if there is none. */
  remove(isGone: (one: Subscription) => boolean): boolean {
    const kept = this.all().filter((one) => !isGone(one));
    if (kept.length === this.all().length) return false;
    this.#write(kept);
    return true;
  }

  #read(): Stored {
    if (this.#stored) return this.#stored;
    try {
      this.#stored = JSON.parse(readFileSync(this.#path, 'utf8')) as Stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      this.#stored = { key: makeVapidKey(), subscriptions: [] };
      this.#write([]);
    }
    return this.#stored;
  }

  #write(subscriptions: readonly Subscription[]): void {
    this.#stored = { ...this.#stored!, subscriptions };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.tmp`, JSON.stringify(this.#stored), { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
  }

  get #path(): string {
    return `${this.#folder}/push.json`;
  }
}
