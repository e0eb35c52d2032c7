/** Codex: its app server, and the lines of `codex exec --json` in recordings. */
import type { Dialect } from '../dialect.ts';
import { oneOf } from '../one-of.ts';
import { codexAppServer } from './app-server.ts';
import { codexExec } from './exec.ts';

export const codex = oneOf('codex', [
  {
    name: 'app-server',
    dialect: codexAppServer as Dialect,
    isOwn: (message) => !('type' in message) && ('method' in message || 'result' in message || 'error' in message),
  },
  { name: 'exec', dialect: codexExec as Dialect, isOwn: (message) => typeof message.type === 'string' },
]);
