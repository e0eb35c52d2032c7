/** The words of the doors: the gateway, tokens, and the audit log. */

import type { WireError } from './errors.ts';
import type { Notice, NoticeOutcome } from './notices.ts';
import type { Role } from './roles.ts';

/** The first port that a gateway tries. */
export const GATEWAY_PORT = 7733;

/** A launch code in a URL can be used once, within this time. */
export const LAUNCH_CODE_MS = 60_000;

/** How the gateway is to listen. Everything has a default. */
export interface GatewayOptions {
  /** This port and no other (default: 7733, or the next free one). */
  readonly port?: number | undefined;
  /** An address of this machine (default: 127.0.0.1). Others than loopback need TLS. */
  readonly host?: string | undefined;
  /** Behind a proxy that serves other things too: `/spool`. */
  readonly basePath?: string | undefined;
  /** Where others reach it, when a proxy or tunnel stands before it: `https://spool.example.org`. */
  readonly publicUrl?: string | undefined;
  /** Addresses of proxies whose forwarded headers are believed. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Files in PEM format; `own`: a certificate of Spool's own CA; `self-signed`: one that no device trusts. */
  readonly tls?: { readonly cert: string; readonly key: string } | 'own' | 'self-signed' | undefined;
  /** Served to the user's own devices by an installed Tailscale. */
  readonly tailscale?: true | undefined;
}

/** A gateway that serves. */
export interface GatewayInfo {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** Without a code: `http://127.0.0.1:7733/`. */
  readonly url: string;
  readonly startedAt: number;
  readonly options: GatewayOptions;
  /** How other devices come to trust the own CA: a page, and what to compare. */
  readonly trust?: { readonly url: string; readonly fingerprint: string } | undefined;
}

/**
 * `token`: for programs. `device`: a browser that has logged in. `code`: the launch URL, once. `share`: a link for others,
 * exchanged for a `device`.
 */
export type TokenKind = 'token' | 'device' | 'code' | 'share';

/** To which sessions a token is limited; without either, to none. A session must fit each of them. */
export interface TokenScope {
  /** Full ids. */
  readonly sessions?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Output before this time is not shown. */
  readonly from?: number | undefined;
}

/** A token as its record has it; the secret itself is stored nowhere. */
export interface TokenInfo {
  readonly id: string;
  readonly kind: TokenKind;
  readonly role: Role;
  /** Shown as viewer and as the source of input. */
  readonly name: string;
  readonly scope: TokenScope;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Of a code or share link. */
  readonly usesLeft: number | null;
  /** Of a device: its cookie is valid on this port only. */
  readonly port: number | null;
  /** Of a device: the code or share link that it was made from. Revoking that revokes the device. */
  readonly parent?: string | undefined;
  readonly lastUsedAt: number | null;
}

/** In the folder of the doors. */
export const TOKENS_FILE = 'tokens.json';

/** As the file has it. */
export interface StoredToken extends Omit<TokenInfo, 'lastUsedAt'> {
  /** SHA-256 of the whole token, in hexadecimal. */
  readonly hash: string;
}

/** A clock that is set right by a little must not refuse a code. */
const CLOCK_SLACK_MS = 5000;

/**
 * Whether a token is valid at this time. A code is so from its making on: otherwise a clock that is set back would give
 * one that somebody has read over a shoulder its life again.
 */
export function isTokenInTime({ kind, createdAt, expiresAt }: StoredToken, now: number): boolean {
  if (kind === 'code' && now < createdAt - CLOCK_SLACK_MS) return false;
  return expiresAt === null || expiresAt > now;
}

/** `spool_ID_SECRET`; null if it cannot be one. */
export function tokenParts(token: string): { readonly id: string } | null {
  const found = /^spool_([0-9a-f]{10})_[A-Za-z0-9_-]{43}$/.exec(token);
  return found && { id: found[1]! };
}

/** Something that was done, or tried, at a door. */
export interface AuditEntry {
  readonly at: number;
  /** The id of the token; null for the local user, and for those without a valid one. */
  readonly token: string | null;
  readonly who: string;
  /** `login`, `refused`, `connected`, `input`, or the op of a request. */
  readonly what: string;
  readonly session?: string | undefined;
  readonly address?: string | undefined;
  readonly note?: string | undefined;
}

/** As the audit log has it, one per line. */
export interface AuditLine extends AuditEntry {
  readonly n: number;
  /** The hash of the line before, so that none can be changed or taken out unnoticed. */
  readonly prev: string;
  readonly hash: string;
}

export interface DoorRequests {
  /**
   * Starts the gateway if it does not run, and stops or shows it. A gateway that runs with other options than these is started
   * again with them; without options any gateway will do.
   */
  gateway: {
    ask: { readonly action: 'start' | 'stop' | 'status'; readonly options?: GatewayOptions | undefined };
    answer: { readonly gateway: GatewayInfo | null };
  };
  /** From the gateway: it serves, or cannot. Pending as long as it serves; the answer asks it to end. */
  serveGateway: {
    ask: {
      readonly info?: GatewayInfo | undefined;
      readonly failure?: WireError | undefined;
      /** With which it has failed. */
      readonly options?: GatewayOptions | undefined;
    };
    answer: Record<never, never>;
  };
  /** The only time that the secret is shown. */
  createToken: {
    ask: {
      readonly kind: 'token' | 'code' | 'share';
      readonly role: Role;
      readonly name?: string | undefined;
      readonly scope?: TokenScope | undefined;
      readonly expiresAt?: number | undefined;
      readonly uses?: number | undefined;
    };
    answer: { readonly token: string; readonly info: TokenInfo };
  };
  listTokens: { ask: Record<never, never>; answer: { readonly tokens: readonly TokenInfo[] } };
  /** By id, unique prefix of one, or name. */
  revokeToken: { ask: { readonly token: string }; answer: { readonly info: TokenInfo } };
  /** From the gateway: exchanges a code or share link for the token of a device. */
  redeemToken: {
    ask: { readonly token: string; readonly name: string; readonly port: number };
    answer: { readonly token: string; readonly info: TokenInfo };
  };
  /** From the gateway: adds to the audit log. */
  recordAudit: { ask: { readonly entries: readonly AuditEntry[] }; answer: Record<never, never> };
  /** From the gateway: what is to be sent over the network, after number `after`. Pending until there is something. */
  notices: { ask: { readonly after: number }; answer: { readonly notices: readonly Notice[] } };
  /** From the gateway: a notice was sent, or given up. Others are given to the next gateway too. */
  noticeDone: {
    ask: { readonly n: number; readonly outcomes: readonly NoticeOutcome[] };
    answer: Record<never, never>;
  };
  /** The audit log from line `after` on, in pages; `next` is null at its end. `damage`: the first line that does not fit. */
  audit: {
    ask: { readonly after?: number | undefined };
    answer: { readonly lines: readonly AuditLine[]; readonly next: number | null; readonly damage: AuditDamage | null };
  };
}

/** Where the chain of the audit log is broken. */
export interface AuditDamage {
  readonly line: number;
  readonly reason: string;
}

/** Entries of one request. */
export const AUDIT_ENTRIES_MAX = 500;
