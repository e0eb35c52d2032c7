/** The words of the doors: the gateway, tokens, and the audit log. */

import type { WireError } from './errors.ts';
import type { Notice, NoticeOutcome } from './notices.ts';
import type { Role } from './roles.ts';

/** The first port that a gateway tries. */
export const GATEWAY_PORT = 7733;

/** The time for which a launch code in a URL can be used, once. */
export const LAUNCH_CODE_MS = 60_000;

/** The options of the gateway. Each has a default. */
export interface GatewayOptions {
  /** The only port to use (default: 7733, or the next free one). */
  readonly port?: number | undefined;
  /** An address of this machine (default: 127.0.0.1). Addresses other than loopback need TLS. */
  readonly host?: string | undefined;
  /** The base path behind a proxy that also serves other programs: `/spool`. */
  readonly basePath?: string | undefined;
  /** The public address, if a proxy or tunnel is in front of it: `https://spool.example.org`. */
  readonly publicUrl?: string | undefined;
  /** The addresses of proxies whose forwarded headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The certificate: files in PEM format; `own`: a certificate of Spool's own CA; `self-signed`: one that no device trusts. */
  readonly tls?: { readonly cert: string; readonly key: string } | 'own' | 'self-signed' | undefined;
  /** Whether an installed Tailscale serves the gateway to the user's own devices. */
  readonly tailscale?: true | undefined;
}

/** A gateway that serves. */
export interface GatewayInfo {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** The address without a code: `http://127.0.0.1:7733/`. */
  readonly url: string;
  readonly startedAt: number;
  readonly options: GatewayOptions;
  /** The page that explains how other devices trust Spool's own CA, and the fingerprint to compare. */
  readonly trust?: { readonly url: string; readonly fingerprint: string } | undefined;
}

/**
 * `token`: for programs. `device`: a browser that has logged in. `code`: the code in the launch URL, for one use. `share`: a link
 * for others, exchanged for a `device`.
 */
export type TokenKind = 'token' | 'device' | 'code' | 'share';

/** The limits of a token; without either, it has none. A session must match each of them. */
export interface TokenScope {
  /** The full ids. */
  readonly sessions?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Output before this time is not shown. */
  readonly from?: number | undefined;
}

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

/** The tolerance of the clock: a small correction must not refuse a code. */
const CLOCK_SLACK_MS = 5000;

/**
 * Returns whether a token is valid at this time. A code is valid only after its creation: otherwise a clock that is set back
 * would revive a code that another person has seen.
 */
export function isTokenInTime({ kind, createdAt, expiresAt }: StoredToken, now: number): boolean {
  if (kind === 'code' && now < createdAt - CLOCK_SLACK_MS) return false;
  return expiresAt === null || expiresAt > now;
}

/** Returns the parts of `spool_ID_SECRET`; null for a text of another form. */
export function tokenParts(token: string): { readonly id: string } | null {
  const found = /^spool_([0-9a-f]{10})_[A-Za-z0-9_-]{43}$/.exec(token);
  return found && { id: found[1]! };
}

/** An action, or an attempt, at the gateway. */
export interface AuditEntry {
  readonly at: number;
  /** The id of the token; null for the local user, and for clients without a valid one. */
  readonly token: string | null;
  readonly who: string;
  /** The action: `login`, `refused`, `connected`, `input`, or the op of a request. */
  readonly what: string;
  readonly session?: string | undefined;
  readonly address?: string | undefined;
  readonly note?: string | undefined;
}

/** A line of the audit log. */
export interface AuditLine extends AuditEntry {
  readonly n: number;
  /** The hash of the previous line, so that no line can be changed or removed unnoticed. */
  readonly prev: string;
  readonly hash: string;
}

export interface GatewayRequests {
  /**
   * Starts the gateway if it does not run, and stops or shows it. A gateway that runs with other options than these is started
   * again with them; without options any gateway is accepted.
   */
  gateway: {
    ask: { readonly action: 'start' | 'stop' | 'status'; readonly options?: GatewayOptions | undefined };
    answer: { readonly gateway: GatewayInfo | null };
  };
  /** The gateway reports that it serves, or cannot. The request is pending as long as it serves; the answer asks it to end. */
  serveGateway: {
    ask: {
      readonly info?: GatewayInfo | undefined;
      readonly failure?: WireError | undefined;
      /** The options with which it has failed. */
      readonly options?: GatewayOptions | undefined;
    };
    answer: Record<never, never>;
  };
  /** Creates a token; the answer is the only message with its secret. */
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
  /** Revokes a token, by its id, a unique prefix of it, or its name. */
  revokeToken: { ask: { readonly token: string }; answer: { readonly info: TokenInfo } };
  /** The gateway exchanges a code or share link for the record of a device, which proves its identity by its key. */
  redeemToken: {
    ask: { readonly token: string; readonly name: string; readonly port: number; readonly publicKey: string };
    answer: { readonly info: TokenInfo };
  };
  /** The gateway adds entries to the audit log. */
  recordAudit: { ask: { readonly entries: readonly AuditEntry[] }; answer: Record<never, never> };
  /** The gateway fetches the notices after number `after`. The request is pending until there are some. */
  notices: { ask: { readonly after: number }; answer: { readonly notices: readonly Notice[] } };
  /** The gateway reports that a notice was sent, or given up. Other notices are also given to the next gateway. */
  noticeDone: {
    ask: { readonly n: number; readonly outcomes: readonly NoticeOutcome[] };
    answer: Record<never, never>;
  };
  /**
   * Reads the audit log from line `after` on, in pages; `next` is null at its end. `damage`: the first line that does not fit.
   */
  audit: {
    ask: { readonly after?: number | undefined };
    answer: { readonly lines: readonly AuditLine[]; readonly next: number | null; readonly damage: AuditDamage | null };
  };
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
