/**
 * The tokens, as written by the keeper. Each look-up checks whether the file has changed, so that a revoked token is refused at
 * once; a change calls `onChange`, which closes open requests. Keeps DOOR-11 and DOOR-12.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, watch } from 'node:fs';
import { isTokenInTime, SpoolError, type StoredToken, tokenParts, TOKENS_FILE } from '@spool/protocol';

/** The hash that is compared if there is no such token, so that a wrong id takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(32);

/**
 * The poll interval if the folder cannot be watched, or the file could not be read: a revoked token's requests are still closed
 * within a second.
 */
const LOOK_MS = 500;

export class TokenCache {
  readonly #folder: string;
  readonly #path: string;
  #tokens = new Map<string, StoredToken>();
  #version: string | null = null;
  /** The error if the file could not be read: new clients are then refused. */
  #fault: Error | null = null;
  #looks: NodeJS.Timeout | null = null;
  /** Called when the tokens have changed; set by the owner. */
  onChange: () => void = () => {};

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/${TOKENS_FILE}`;
  }

  /** Watches the folder, because the file is replaced with each change. */
  watch(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const poll = (): void => void (this.#looks ??= setInterval(() => this.#refresh(), LOOK_MS).unref());
    try {
      watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name === TOKENS_FILE) this.#refresh();
        else if (statSync(this.#folder, { throwIfNoEntry: false }) === undefined) poll(); // the folder was moved or deleted
      }).on('error', poll);
    } catch {
      poll(); // this user watches too many folders already
    }
    this.#refresh();
  }

  /** Returns the record of a program's token that is valid now; null if it is wrong, revoked, expired or for a login only. */
  find(text: string): StoredToken | null {
    const token = this.#right(text);
    return token?.kind === 'token' ? token : null;
  }

  /** Returns the record of an invite that can still be used. */
  findInvite(text: string): StoredToken | null {
    const token = this.#right(text);
    return token?.kind === 'invite' ? token : null;
  }

  /** Returns whether this code or share link can still be exchanged. */
  isCode(text: string): boolean {
    return (this.#right(text)?.usesLeft ?? 0) > 0;
  }

  #right(text: string): StoredToken | null {
    this.#refresh();
    if (this.#fault)
      throw new SpoolError('INTERNAL', { reason: `the tokens cannot be read: ${this.#fault.message.slice(0, 200)}` });
    const found = this.#tokens.get(tokenParts(text)?.id ?? '');
    const token = found?.kind === 'device' ? undefined : found; // a device has no secret
    const hash = createHash('sha256').update(text).digest();
    const isRight = timingSafeEqual(hash, token ? Buffer.from(token.hash, 'hex') : NO_HASH);
    return isRight && token && isTokenInTime(token, Date.now()) ? token : null;
  }

  /** Returns whether a token that was valid still is. */
  isValid(id: string): boolean {
    const token = this.#tokens.get(id);
    return token !== undefined && isTokenInTime(token, Date.now());
  }

  /** Returns the record of a token that is valid now. */
  get(id: string): StoredToken | null {
    this.#refresh();
    return this.isValid(id) ? this.#tokens.get(id)! : null;
  }

  #refresh(): void {
    let version: string;
    try {
      const found = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
      version = found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
      if (version === this.#version) {
        this.#fault = null;
        return;
      }
      this.#tokens = found ? read(this.#path) : new Map();
    } catch (error) {
      // No free fd, or a damaged disk. Open requests remain; the next lookup and the timer retry.
      this.#fault = error as Error;
      setTimeout(() => this.#refresh(), LOOK_MS).unref();
      return;
    }
    const isFirst = this.#version === null;
    this.#version = version;
    this.#fault = null;
    if (!isFirst) this.onChange();
  }
}

function read(path: string): Map<string, StoredToken> {
  const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: readonly StoredToken[] };
  return new Map(tokens.map((token) => [token.id, token]));
}
