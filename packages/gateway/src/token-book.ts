/**
 * The tokens, as the keeper has written them. Each look-up checks whether the file has changed, so that a revoked token opens
 * nothing more; live connections are told by `onChange`. Keeps DOOR-11 and DOOR-12.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type FSWatcher, mkdirSync, readFileSync, statSync, watch } from 'node:fs';
import { type StoredToken, tokenParts, TOKENS_FILE } from '@spool/protocol';

/** Compared with when there is no such token, so that a wrong id takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(32);

export class TokenBook {
  readonly #folder: string;
  readonly #path: string;
  #tokens = new Map<string, StoredToken>();
  #version = '';
  #watcher: FSWatcher | null = null;
  /** Set by the owner. */
  onChange: () => void = () => {};

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/${TOKENS_FILE}`;
  }

  /** Watches the folder, because the file is replaced with each change. */
  watch(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
      if (name === TOKENS_FILE && this.#refresh()) this.onChange();
    });
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
    const token = this.#tokens.get(tokenParts(text)?.id ?? '');
    const hash = createHash('sha256').update(text).digest();
    const isRight = timingSafeEqual(hash, token ? Buffer.from(token.hash, 'hex') : NO_HASH);
    return isRight && token && isInTime(token) ? token : null;
  }

  /** Whether a token that was valid still is. */
  isValid(id: string): boolean {
    const token = this.#tokens.get(id);
    return token !== undefined && isInTime(token);
  }

  /** What is known of a token that is valid now. */
  get(id: string): StoredToken | null {
    this.#refresh();
    return this.isValid(id) ? this.#tokens.get(id)! : null;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }

  /** True if the file has changed. */
  #refresh(): boolean {
    const found = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const version = found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
    if (version === this.#version) return false;
    this.#tokens = found ? read(this.#path) : new Map();
    this.#version = version;
    return true;
  }
}

function read(path: string): Map<string, StoredToken> {
  const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: readonly StoredToken[] };
  return new Map(tokens.map((token) => [token.id, token]));
}

function isInTime({ expiresAt }: StoredToken): boolean {
  return expiresAt === null || expiresAt > Date.now();
}
