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
  watchEvents: 'viewer',
  attach: 'viewer',
  view: 'viewer',
  screen: 'viewer',
  grids: 'viewer',
  marks: 'viewer',
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
  audit: 'owner',
  serveGateway: 'local',
  appendEvents: 'local',
  putCheckpoint: 'local',
  getCheckpoint: 'local',
  redeemToken: 'local',
  recordAudit: 'local',
  notices: 'local',
  noticeDone: 'local',
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

/** `anyone`: before any token. `token`: any that is valid. `asked`: a prompter, or the link in a notification of this question. */
export type RouteRole = Role | 'anyone' | 'token' | 'asked';

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
  'GET /metrics': 'operator',
  'GET /api/openapi.json': 'token',
  'GET /api/sessions': 'viewer',
  'POST /api/sessions': 'operator',
  'GET /api/sessions/:id': 'viewer',
  'DELETE /api/sessions/:id': 'operator',
  'GET /api/sessions/:id/screen': 'viewer',
  'GET /api/sessions/:id/logs': 'viewer',
  'POST /api/sessions/:id/input': 'operator',
  'POST /api/sessions/:id/prompt': 'prompter',
  'POST /api/sessions/:id/answer': 'prompter',
  'POST /api/sessions/:id/resize': 'operator',
  'POST /api/sessions/:id/stop': 'operator',
  'POST /api/sessions/:id/kill': 'operator',
  'GET /api/sessions/:id/wait': 'viewer',
  'GET /api/sessions/:id/search': 'viewer',
  'GET /api/sessions/:id/files': 'operator',
  'GET /api/sessions/:id/changes': 'operator',
  'POST /api/sessions/:id/uploads': 'operator',
  'GET /api/folders': 'operator',
  'GET /api/events': 'viewer',
  'GET /api/push': 'viewer',
  'POST /api/push': 'viewer',
  'DELETE /api/push/:id': 'viewer',
  'POST /api/asks/:id': 'asked',
  'GET /api/tasks': 'viewer',
  'POST /api/tasks': 'operator',
  'GET /api/tasks/:id': 'viewer',
} as const satisfies Record<string, RouteRole>;
