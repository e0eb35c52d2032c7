/**
 * The tokens, as the keeper has written them. Each look-up checks whether the file has changed, so that a revoked token opens
 * nothing more; whoever finds a change tells `onChange`, which closes what is open. Keeps DOOR-11 and DOOR-12.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, watch } from 'node:fs';
import { isTokenInTime, SpoolError, type StoredToken, tokenParts, TOKENS_FILE } from '@spool/protocol';

/** Compared with when there is no such token, so that a wrong id takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(32);

/** Where the folder cannot be watched, or the file could not be read: a revoked token is closed within a second. */
const LOOK_MS = 500;

export class TokenBook {
  readonly #folder: string;
  readonly #path: string;
  #tokens = new Map<string, StoredToken>();
  #version: string | null = null;
  /** The file could not be read: nobody new is let in. */
  #fault: Error | null = null;
  #looks: NodeJS.Timeout | null = null;
  /** Set by the owner. */
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
        else if (statSync(this.#folder, { throwIfNoEntry: false }) === undefined) poll(); // it was moved or deleted
      }).on('error', poll);
    } catch {
      poll(); // this user watches too many folders already
    }
    this.#refresh();
  }

  /** The record of a token that is valid now; null if it is wrong, revoked, expired or for a login only. */
  find(text: string): StoredToken | null {
    const token = this.#right(text);
    return token && (token.kind === 'token' || token.kind === 'device') ? token : null;
  }

  /** Whether this code or share link can still be exchanged. */
  isCode(text: string): boolean {
    return (this.#right(text)?.usesLeft ?? 0) > 0;
  }

  #right(text: string): StoredToken | null {
    this.#refresh();
    if (this.#fault)
      throw new SpoolError('INTERNAL', { reason: `the tokens cannot be read: ${this.#fault.message.slice(0, 200)}` });
    const token = this.#tokens.get(tokenParts(text)?.id ?? '');
    const hash = createHash('sha256').update(text).digest();
    const isRight = timingSafeEqual(hash, token ? Buffer.from(token.hash, 'hex') : NO_HASH);
    return isRight && token && isTokenInTime(token, Date.now()) ? token : null;
  }

  /** Whether a token that was valid still is. */
  isValid(id: string): boolean {
    const token = this.#tokens.get(id);
    return token !== undefined && isTokenInTime(token, Date.now());
  }

  /** What is known of a token that is valid now. */
  get(id: string): StoredToken | null {
    this.#refresh();
    return this.isValid(id) ? this.#tokens.get(id)! : null;
  }

  #refresh(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const version = found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
    if (version === this.#version) return;
    try {
      this.#tokens = found ? read(this.#path) : new Map();
    } catch (error) {
      // No room for one more open file, or a damaged disk. What is open stays; the next look-up tries again, and so do we.
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
