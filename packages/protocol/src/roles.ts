/**
 * The rights of each role: one table for requests, frames and routes, which the gateway uses and from which its tests are
 * generated. A request, frame or route without a row does not compile, or is refused. Keeps DOOR-9 and DOOR-43.
 */
import type { Command } from './agent/commands.ts';
import type { FrameType } from './frame.ts';
import type { Op } from './messages.ts';

/** The roles; each includes the rights of those before it. */
export const ROLES = ['viewer', 'prompter', 'operator', 'owner'] as const;

/**
 * `viewer` reads output and screens. `prompter` also answers questions and sends prompts. `operator` may use sessions in every
 * way. `owner` also controls the daemon and its gateway.
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
  nodeNotice: 'local',
  notices: 'local',
  noticeDone: 'local',
};

/**
 * The role for each command to an agent, by its `do`. A prompter writes prompts, stops a turn and answers an agent's requests,
 * one at a time. Commands that change how the agent works from then on, or end it, are for operators: its mode, its model, its
 * own commands (they set modes and models too), its background tasks, its input.
 */
export const COMMAND_ROLES = {
  prompt: 'prompter',
  editPrompt: 'prompter',
  movePrompt: 'prompter',
  cancelPrompt: 'prompter',
  sendPrompt: 'prompter',
  interrupt: 'prompter',
  permission: 'prompter',
  answer: 'prompter',
  toolOutput: 'prompter',
  setMode: 'operator',
  setModel: 'operator',
  slash: 'operator',
  background: 'operator',
  stopTask: 'operator',
  close: 'operator',
} as const satisfies { readonly [K in Command['do']]: Role };

/** The role for each frame except requests; `daemon` means no client, because only a daemon sends the frame. */
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

/** Returns whether `role` includes the rights of `needed`. */
export function mayDo(role: Role, needed: Role | 'local' | 'daemon'): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed as Role) && isRole(needed);
}

/** `anyone`: without a token. `token`: any valid token. `asked`: a prompter, or the link in a notification of this question. */
export type RouteRole = Role | 'anyone' | 'token' | 'asked';

/** The roles by method and path, as the gateway registers them. A route without a row cannot be registered. */
export const ROUTE_ROLES = {
  'GET /': 'anyone',
  'GET /assets/*': 'anyone',
  'GET /:file': 'anyone',
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'POST /api/login': 'anyone',
  'POST /api/challenge': 'anyone',
  'POST /api/pass': 'anyone',
  'POST /api/logout': 'token',
  'GET /api/me': 'token',
  'GET /ws': 'token',
  'POST /api/nodes': 'anyone',
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
  'GET /api/nodes/:node/sessions/:id/search': 'viewer',
  'GET /api/nodes/:node/sessions/:id/files': 'operator',
  'GET /api/nodes/:node/sessions/:id/changes': 'operator',
  'POST /api/nodes/:node/sessions/:id/uploads': 'operator',
  'GET /api/nodes/:node/folders': 'operator',
  'GET /api/events': 'viewer',
  'GET /api/push': 'viewer',
  'POST /api/push': 'viewer',
  'DELETE /api/push/:id': 'viewer',
  'POST /api/asks/:id': 'asked',
  'GET /api/tasks': 'viewer',
  'POST /api/tasks': 'operator',
  'GET /api/tasks/:id': 'viewer',
} as const satisfies Record<string, RouteRole>;
