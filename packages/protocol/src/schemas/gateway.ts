/** The gateway, tokens, notices and the audit log in requests, described once. */
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { AUDIT_ENTRIES_MAX } from '../gateway.ts';
import { ROLES } from '../roles.ts';
import { cString, ID_PATTERN, labels, name, offset, shortText } from './parts.ts';

const port = z.int().min(0).max(65_535);
const path = cString.max(4096);
const url = z.string().max(1000);

/** The options of the gateway. Each has a default. */
export const GATEWAY_OPTIONS = z.strictObject({
  /** The only port to use (default: 7733, or the next free one). */
  port: port.optional(),
  /** An address of this machine (default: 127.0.0.1). Addresses other than loopback need TLS. */
  host: z.string().min(1).max(255).optional(),
  /** The base path behind a proxy that also serves other programs: `/spool`. */
  basePath: z
    .string()
    .max(200)
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be a path such as /spool')
    .optional(),
  /** The public address, if a proxy or tunnel is in front of it: `https://spool.example.org`. */
  publicUrl: z
    .string()
    .max(500)
    .regex(
      /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~-]+)*\/?$/,
      'must be a URL such as https://spool.example.org/base',
    )
    .optional(),
  /** The addresses of proxies whose forwarded headers are trusted. */
  trustedProxies: z.array(z.string().max(100)).max(100).optional(),
  /** The certificate: files in PEM format; `own`: a certificate of Spool's own CA; `self-signed`: one that no device trusts. */
  tls: z.union([z.strictObject({ cert: path, key: path }), z.enum(['own', 'self-signed'])]).optional(),
  /** Whether an installed Tailscale serves the gateway to the user's own devices. */
  tailscale: z.literal(true).optional(),
});

/** A gateway that serves. */
export const GATEWAY_INFO = z.strictObject({
  pid: z.int(),
  host: shortText,
  port,
  /** The address without a code: `http://127.0.0.1:7733/`. */
  url,
  startedAt: z.number(),
  options: GATEWAY_OPTIONS,
  /** The page that explains how other devices trust Spool's own CA, and the fingerprint to compare. */
  trust: z.strictObject({ url, fingerprint: shortText }).optional(),
});

/** The limits of a token; without either, it has none. A session must match each of them. */
export const TOKEN_SCOPE = z.strictObject({
  /** The full ids. */
  sessions: z.array(z.string().regex(ID_PATTERN, 'must be the id of a session')).max(1000).optional(),
  labels: labels.optional(),
  /** Output before this time is not shown. */
  from: z.number().optional(),
});

export const NOTICE_OUTCOME = z.strictObject({
  /** The channel through which a notification leaves the daemon. */
  channel: z.enum(['desktop', 'command', 'webhook', 'ntfy', 'push']),
  /** The fault, in a sentence; null if it was delivered. */
  trouble: z.string().max(1000).nullable(),
});

/** An action, or an attempt, at the gateway. */
export const AUDIT_ENTRY = z.strictObject({
  at: z.number(),
  /** The id of the token; null for the local user, and for clients without a valid one. */
  token: shortText.nullable(),
  who: shortText,
  /** The action: `login`, `refused`, `connected`, `input`, or the op of a request. */
  what: shortText,
  session: shortText.optional(),
  address: shortText.optional(),
  note: z.string().max(500).optional(),
});

export const GATEWAY_REQUEST_SCHEMAS = {
  /**
   * Starts the gateway if it does not run, and stops or shows it. A gateway that runs with other options than these is started
   * again with them; without options any gateway is accepted.
   */
  gateway: z.strictObject({ action: z.enum(['start', 'stop', 'status']), options: GATEWAY_OPTIONS.optional() }),
  /** The gateway reports that it serves, or cannot. The request is pending as long as it serves; the answer asks it to end. */
  serveGateway: z.strictObject({
    info: GATEWAY_INFO.optional(),
    failure: z
      .strictObject({
        code: z.string() as unknown as z.ZodType<ErrorCode>,
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      })
      .optional(),
    /** The options with which it has failed. */
    options: GATEWAY_OPTIONS.optional(),
  }),
  /** Creates a token; the answer is the only message with its secret. */
  createToken: z.strictObject({
    kind: z.enum(['token', 'code', 'share', 'invite', 'peer']),
    role: z.enum(ROLES),
    name: name.optional(),
    scope: TOKEN_SCOPE.optional(),
    expiresAt: z.number().optional(),
    uses: z.int().min(1).max(1_000_000).optional(),
  }),
  listTokens: z.strictObject({}),
  /** Revokes a token, by its id, a unique prefix of it, or its name. */
  revokeToken: z.strictObject({ token: shortText }),
  /** The gateway exchanges a code or share link for the record of a device, which proves its identity by its key. */
  redeemToken: z.strictObject({ token: shortText, name, port, publicKey: shortText }),
  /** The gateway fetches the notices after number `after`. The request is pending until there are some. */
  notices: z.strictObject({ after: z.number().min(0) }),
  /** The gateway reports that a notice was sent, or given up. Other notices are also given to the next gateway. */
  noticeDone: z.strictObject({ n: z.number(), outcomes: z.array(NOTICE_OUTCOME).max(1000) }),
  /** The gateway passes a notification of a node on, to the channels of this machine. */
  nodeNotice: z.strictObject({
    node: shortText,
    session: shortText,
    name: shortText,
    about: z.enum(['blocked', 'exit', 'failure', 'health', 'command']),
    title: z.string().max(1000),
    body: z.string().max(10_000),
  }),
  /** The gateway adds entries to the audit log. */
  recordAudit: z.strictObject({ entries: z.array(AUDIT_ENTRY).max(AUDIT_ENTRIES_MAX) }),
  /**
   * Reads the audit log from line `after` on, in pages; `next` is null at its end. `damage`: the first line that does not fit.
   */
  audit: z.strictObject({ after: offset.optional() }),
};
