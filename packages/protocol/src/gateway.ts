/** The messages about the gateway, tokens, and the audit log. */

import type { MessageOf } from './message-type.ts';
import type { Notice } from './notices.ts';
import type { Role } from './roles.ts';
import type * as schemas from './schemas/gateway.ts';

export type GatewayOptions = MessageOf<typeof schemas.GATEWAY_OPTIONS>;
export type GatewayInfo = MessageOf<typeof schemas.GATEWAY_INFO>;
export type TokenScope = MessageOf<typeof schemas.TOKEN_SCOPE>;
export type AuditEntry = MessageOf<typeof schemas.AUDIT_ENTRY>;

/** An answer without fields. */
export type EmptyAnswer = Record<never, never>;

/** The first port that a gateway tries. */
export const GATEWAY_PORT = 7733;

/** The time for which a launch code in a URL can be used, once. */
export const LAUNCH_CODE_MS = 60_000;

/** The time for which an invite can be used, once. */
export const INVITE_MS = 3_600_000;

/**
 * `token`: for programs. `device`: a browser that has logged in. `code`: the code in the launch URL, for one use. `share`: a link
 * for others, exchanged for a `device`. `invite`: lets one machine become a node of this one. `peer`: a machine that this one has
 * joined, with its rights here.
 */
export type TokenKind = 'token' | 'device' | 'code' | 'share' | 'invite' | 'peer';

/** The record of a token; the secret itself is never stored. */
export interface TokenInfo {
  readonly id: string;
  readonly kind: TokenKind;
  readonly role: Role;
  /** The name that is shown for a viewer and for the source of input. */
  readonly name: string;
  readonly scope: TokenScope;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The remaining uses of a code or share link. */
  readonly usesLeft: number | null;
  /** The port of a device: its key is valid on this port only. */
  readonly port: number | null;
  /** The code or share link that a device was created from. Revoking that revokes the device. */
  readonly parent?: string | undefined;
  readonly lastUsedAt: number | null;
}

/** The name of the file in the gateway's folder. */
export const TOKENS_FILE = 'tokens.json';

/** A token in the file. */
export interface StoredToken extends Omit<TokenInfo, 'lastUsedAt'> {
  /** The SHA-256 of the whole token, in hexadecimal; empty for a device, which has no secret that could be sent. */
  readonly hash: string;
  /** The public key of a device's browser, a point of P-256, base64url. Its private key never leaves the browser. */
  readonly publicKey?: string | undefined;
}

/** The tolerance for changes of the clock: a small correction must not make a code invalid. */
const CLOCK_SLACK_MS = 5000;

/**
 * Returns whether a token is valid at this time. A code is valid only after its creation: otherwise a clock that is set back
 * would revive a code that another person has seen.
 */
export function isTokenInTime({ kind, createdAt, expiresAt }: StoredToken, now: number): boolean {
  if ((kind === 'code' || kind === 'invite') && now < createdAt - CLOCK_SLACK_MS) return false;
  return expiresAt === null || expiresAt > now;
}

/** Returns the parts of `spool_ID_SECRET`; null for a text of another form. */
export function tokenParts(token: string): { readonly id: string } | null {
  const found = /^spool_([0-9a-f]{10})_[A-Za-z0-9_-]{43}$/.exec(token);
  return found && { id: found[1]! };
}

/** A line of the audit log. */
export interface AuditLine extends AuditEntry {
  readonly n: number;
  /** The hash of the previous line, so that no line can be changed or removed unnoticed. */
  readonly prev: string;
  readonly hash: string;
}

/** The answers of the requests about the gateway. */
export interface GatewayAnswers {
  gateway: { readonly gateway: GatewayInfo | null };
  serveGateway: EmptyAnswer;
  createToken: { readonly token: string; readonly info: TokenInfo };
  listTokens: { readonly tokens: readonly TokenInfo[] };
  revokeToken: { readonly info: TokenInfo };
  redeemToken: { readonly info: TokenInfo };
  recordAudit: EmptyAnswer;
  nodeNotice: EmptyAnswer;
  notices: { readonly notices: readonly Notice[] };
  noticeDone: EmptyAnswer;
  audit: { readonly lines: readonly AuditLine[]; readonly next: number | null; readonly damage: AuditDamage | null };
}

/** The place where the chain of the audit log is broken. */
export interface AuditDamage {
  readonly line: number;
  readonly reason: string;
}

/** The maximum of entries in one request. */
export const AUDIT_ENTRIES_MAX = 500;

/** The faults of a gateway that did not end it, as stored in the gateway's folder. */
export interface GatewayFaults {
  readonly pid: number;
  /** The number of faults that closed their connection. */
  readonly connections: number;
  readonly outside: number;
  readonly lastAt: number;
}
