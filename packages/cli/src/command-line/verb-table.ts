/**
 * The table of verbs. Parsing (`verb-syntax.ts`), help and completions are generated from it. The code of a verb is in `verbs/` and is
 * loaded on use (`verb-loaders.ts`). A verb is added to the file of its group.
 */
import type { ParsedArguments, Verb } from './arguments.ts';
import { AGENT_VERBS } from './verb-table/agent-verbs.ts';
import { DAEMON_VERBS } from './verb-table/daemon-verbs.ts';
import { GATEWAY_VERBS } from './verb-table/gateway-verbs.ts';
import { INPUT_VERBS } from './verb-table/input-verbs.ts';
import { INSPECT_VERBS } from './verb-table/inspect-verbs.ts';
import { INSTALL_VERBS } from './verb-table/install-verbs.ts';
import { INTEGRATE_VERBS } from './verb-table/integrate-verbs.ts';
import { LIST_VERBS } from './verb-table/list-verbs.ts';
import { MANAGE_VERBS } from './verb-table/manage-verbs.ts';
import { OUTPUT_VERBS } from './verb-table/output-verbs.ts';
import { REMOTE_VERBS } from './verb-table/remote-verbs.ts';
import { RUN_VERBS } from './verb-table/run-verbs.ts';
import { WAIT_VERBS } from './verb-table/wait-verbs.ts';

export const ID_ABOUT = 'a session id, its first 4 or more characters, or a session name';

/** The verbs in the order in which completions offer them. */
export const VERBS = {
  ...RUN_VERBS,
  ...LIST_VERBS,
  ...OUTPUT_VERBS,
  ...INPUT_VERBS,
  ...AGENT_VERBS,
  ...WAIT_VERBS,
  ...MANAGE_VERBS,
  ...INSPECT_VERBS,
  ...GATEWAY_VERBS,
  ...DAEMON_VERBS,
  ...INSTALL_VERBS,
  ...REMOTE_VERBS,
  ...INTEGRATE_VERBS,
} as const satisfies Record<string, Verb>;

export type VerbName = keyof typeof VERBS;
export type ArgumentsOf<N extends VerbName> = ParsedArguments<(typeof VERBS)[N]>;

export function isVerb(name: string): name is VerbName {
  return Object.hasOwn(VERBS, name);
}
