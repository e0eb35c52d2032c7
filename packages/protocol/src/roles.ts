/**
 * Which role may do what: one table for requests, frames and routes, from which the gateway decides and the tests of the
 * doors are made. A request, frame or route without a row does not compile, or is refused. Keeps DOOR-9.
 */
import type { FrameType } from './frame.ts';
import type { Op } from './messages.ts';

/** Each role may do what those before it may. */
export const ROLES = ['viewer', 'prompter', 'operator', 'owner'] as const;

/**
 * `viewer` reads output and screens. `prompter` also answers questions and sends prompts. `operator` does everything with
 * sessions. `owner` also has the daemon and its doors.
 */
export type Role = (typeof ROLES)[number];

/** `local`: only over the unix socket, never through a gateway. */
export type OpRole = Role | 'local';

export const OP_ROLES: { readonly [K in Op]: OpRole } = {
  list: 'viewer',
  get: 'viewer',
  watch: 'viewer',
  attach: 'viewer',
  view: 'viewer',
  screen: 'viewer',
  grids: 'viewer',
  marks: 'viewer',
  watchEvents: 'viewer',
  offsetAt: 'viewer',
  unwatch: 'viewer',
  wait: 'viewer',
  explain: 'viewer',
  events: 'viewer',
  SUBSCRIBE_WORKER_OUTPUT: 'viewer',
  UNSUBSCRIBE_WORKER_OUTPUT: 'viewer',
  prompt: 'prompter',
  answer: 'prompter',
  command: 'prompter',
  run: 'operator',
  update: 'operator',
  resize: 'operator',
  stop: 'operator',
  kill: 'operator',
  signal: 'operator',
  closeInput: 'operator',
  remove: 'operator',
  type: 'operator',
  status: 'operator',
  renew: 'owner',
  testNotification: 'owner',
  shutdown: 'owner',
  gateway: 'owner',
  createToken: 'owner',
  listTokens: 'owner',
  revokeToken: 'owner',
  serveGateway: 'local',
  appendEvents: 'local',
  redeemToken: 'local',
};

/** What a client may send besides requests; `daemon`: nobody, because only a daemon sends it. */
export const FRAME_ROLES: { readonly [K in keyof typeof FrameType]: Role | 'daemon' } = {
  hello: 'viewer',
  request: 'viewer',
  credit: 'viewer',
  input: 'operator',
  reply: 'daemon',
  error: 'daemon',
  event: 'daemon',
  output: 'daemon',
  snapshot: 'daemon',
  typed: 'daemon',
};

export function isRole(word: unknown): word is Role {
  return (ROLES as readonly unknown[]).includes(word);
}

/** Whether `role` may do what `needed` may. */
export function mayDo(role: Role, needed: Role | 'local' | 'daemon'): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed as Role) && isRole(needed);
}

/** `anyone`: before any token. `token`: any that is valid. */
export type RouteRole = Role | 'anyone' | 'token';

/** By method and path, as the gateway registers them. A route without a row cannot be registered. */
export const ROUTE_ROLES = {
  'GET /': 'anyone',
  'GET /assets/*': 'anyone',
  'GET /:file': 'anyone',
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'POST /api/login': 'anyone',
  'POST /api/logout': 'token',
  'GET /api/me': 'token',
  'GET /ws': 'token',
  'GET /api/sessions': 'viewer',
  'GET /api/sessions/:id': 'viewer',
  'POST /api/sessions/:id/input': 'operator',
} as const satisfies Record<string, RouteRole>;
