/**
 * The tokens of the gateway. Only their hashes are stored: a secret is shown once, when it is created. The keeper is the only
 * writer of the file; gateways read it. Keeps DOOR-11, DOOR-48 and, for tokens, NAME-2.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {
  ID_PREFIX_CHARS_MIN,
  isTokenInTime,
  INVITE_MS,
  LAUNCH_CODE_MS,
  type Requests,
  SpoolError,
  type StoredToken,
  type TokenInfo,
  tokenParts,
  TOKENS_FILE,
} from '@spool/protocol';

const SECRET_BYTES = 32;
const ID_BYTES = 5;

/** The maximum of tokens, more than the devices of any user; a flood of logins must not fill the disk. */
const TOKENS_MAX = 1000;

/** The maximum of browsers of one share link: it must not use up the places of all others. */
const DEVICES_OF_LINK_MAX = 500;

/** A browser that has not been used for this long must log in again. */
const DEVICE_MS = 90 * 24 * 3600 * 1000;

export class TokenStore {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  create(ask: Requests['createToken']['ask']): Requests['createToken']['answer'] {
    const { kind, role, name = kind, scope = {}, uses } = ask;
    if (role === 'owner' && Object.keys(scope).length > 0)
      throw new SpoolError('ARGUMENT_INVALID', { argument: 'role', value: role, reason: 'an owner has all sessions' });
    const expiresAt =
      ask.expiresAt ??
      (kind === 'code' ? this.#now() + LAUNCH_CODE_MS : kind === 'invite' ? this.#now() + INVITE_MS : null);
    const usesLeft = kind === 'code' || kind === 'share' ? (uses ?? 1) : null;
    const id = newId();
    const token = `spool_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
    const hash = hashOf(token);
    return { token, info: this.#add({ id, hash, kind, role, name, scope, expiresAt, usesLeft, port: null }) };
  }

  list(): readonly TokenInfo[] {
    const lastUsed = this.#readLastUsed();
    return this.#read().map((token) => ({ ...infoOf(token), lastUsedAt: lastUsed[token.id] ?? null }));
  }

  revoke(reference: string): TokenInfo {
    const tokens = this.#read();
    const found =
      tokens.find(({ id }) => id === reference) ??
      only(
        tokens.filter(
          ({ id, name }) => name === reference || (reference.length >= ID_PREFIX_CHARS_MIN && id.startsWith(reference)),
        ),
      );
    if (!found) throw new SpoolError('TOKEN_UNKNOWN', { token: reference });
    this.#write(tokens.filter(({ id, parent }) => id !== found.id && parent !== found.id));
    return infoOf(found);
  }

  /** Redeems a login code. The use is counted first: a code works once, however many clients try it at the same time. */
  redeem({ token, name, port, publicKey }: Requests['redeemToken']['ask']): Requests['redeemToken']['answer'] {
    const tokens = this.#read();
    const found = tokens.find((known) => isSecretOf(known, token));
    if (!found || found.usesLeft === null || found.usesLeft < 1) throw new SpoolError('CODE_REFUSED');
    const { role, scope, kind } = found;
    if (tokens.filter(({ parent }) => parent === found.id).length >= DEVICES_OF_LINK_MAX)
      throw new SpoolError('TOO_MANY', { browsers: DEVICES_OF_LINK_MAX });
    const usesLeft = found.usesLeft - 1;
    // A share link is kept, so that it can be revoked together with the browsers that it has logged in.
    const isKept = usesLeft > 0 || kind === 'share';
    this.#write(tokens.flatMap((known) => (known !== found ? [known] : isKept ? [{ ...known, usesLeft }] : [])));
    const expiresAt = kind === 'code' ? this.#now() + DEVICE_MS : found.expiresAt;
    const device = { kind: 'device', role, name, scope, expiresAt, usesLeft: null, port, parent: found.id } as const;
    return { info: this.#add({ ...device, id: newId(), hash: '', publicKey }) };
  }

  #add(made: Omit<StoredToken, 'createdAt'>): TokenInfo {
    const all = this.#read();
    // The browser that logged in first is dropped, because the user must be able to log in.
    const tokens =
      all.length < TOKENS_MAX
        ? all
        : without(
            all,
            all.find(({ kind }) => kind === 'device'),
          );
    if (tokens.length >= TOKENS_MAX) throw new SpoolError('TOO_MANY', { tokens: TOKENS_MAX });
    const token: StoredToken = { ...made, createdAt: this.#now() };
    this.#write([...tokens, token]);
    return infoOf(token);
  }

  /**
   * Returns the tokens without the expired ones, and without browsers from before they had keys: their cookies are no longer
   * accepted.
   */
  #read(): readonly StoredToken[] {
    let text: string;
    try {
      text = readFileSync(`${this.#folder}/${TOKENS_FILE}`, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const { tokens } = JSON.parse(text) as { tokens: readonly StoredToken[] };
    const hasProof = ({ kind, publicKey }: StoredToken): boolean => kind !== 'device' || publicKey !== undefined;
    return tokens.filter((token) => isTokenInTime(token, this.#now()) && hasProof(token));
  }

  /** Writes the tokens to the disk before the request is answered: a revoked token must not come back after a power cut. */
  #write(tokens: readonly StoredToken[]): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = `${this.#folder}/${TOKENS_FILE}`;
    const text = `${JSON.stringify({ tokens })}\n`;
    try {
      writeDurably(`${path}.tmp`, 'w', text);
      renameSync(`${path}.tmp`, path);
    } catch (error) {
      rmSync(`${path}.tmp`, { force: true });
      // A token can be revoked on a full disk, because the shorter list fits into the space of the longer one.
      const isShorter = Buffer.byteLength(text) < (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || !isShorter) throw error;
      writeDurably(path, 'r+', text);
    }
  }

  /** Reads the times of the last use, which the gateway writes now and then. */
  #readLastUsed(): Readonly<Record<string, number>> {
    try {
      return JSON.parse(readFileSync(`${this.#folder}/last-used.json`, 'utf8')) as Record<string, number>;
    } catch {
      return {}; // never written, or being replaced at this moment: not worth an error
    }
  }
}

function writeDurably(path: string, flags: 'w' | 'r+', text: string): void {
  const fd = openSync(path, flags, 0o600);
  try {
    writeFileSync(fd, text);
    ftruncateSync(fd, Buffer.byteLength(text));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function isSecretOf(known: StoredToken, text: string): boolean {
  if (known.kind === 'device' || tokenParts(text)?.id !== known.id) return false;
  return timingSafeEqual(Buffer.from(hashOf(text), 'hex'), Buffer.from(known.hash, 'hex'));
}

function infoOf({ hash: _hash, publicKey: _key, ...token }: StoredToken): TokenInfo {
  return { ...token, lastUsedAt: null };
}

function without<T>(list: readonly T[], one: T | undefined): readonly T[] {
  return list.filter((each) => each !== one);
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}
