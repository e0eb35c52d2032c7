/** Where each verb is; nothing of it is read before it is typed. */
import type { VerbAction } from './program.ts';
import type { VerbName } from './verb-table.ts';

export const LOADERS: { readonly [N in VerbName]: () => Promise<{ readonly default: VerbAction<N> }> } = {
  run: () => import('./verbs/run.ts'),
  attach: () => import('./verbs/attach.ts'),
  ls: () => import('./verbs/ls.ts'),
  logs: () => import('./verbs/logs.ts'),
  screen: () => import('./verbs/screen.ts'),
  replay: () => import('./verbs/replay.ts'),
  export: () => import('./verbs/export.ts'),
  send: () => import('./verbs/send.ts'),
  keys: () => import('./verbs/keys.ts'),
  wait: () => import('./verbs/wait.ts'),
  stop: () => import('./verbs/stop.ts'),
  kill: () => import('./verbs/kill.ts'),
  rm: () => import('./verbs/rm.ts'),
  rename: () => import('./verbs/rename.ts'),
  update: () => import('./verbs/update.ts'),
  inspect: () => import('./verbs/inspect.ts'),
  events: () => import('./verbs/events.ts'),
  daemon: () => import('./verbs/daemon.ts'),
  doctor: () => import('./verbs/doctor.ts'),
  completions: () => import('./verbs/completions.ts'),
  version: () => import('./verbs/version.ts'),
};
