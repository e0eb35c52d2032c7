/**
 * Finds the permission or question that a verb means. A script names the request; at a terminal, `approve` shows the oldest one and
 * asks. Keeps SHOW-11, REQ-5.
 */
import { AgentHandle, type Client, type RequestEvent } from '@spool/client/node';
import { type PermissionOption, requestSubject } from '@spool/protocol/agent';
import { say, visibleTitle, type VisibleText } from '@spool/protocol/visible-text';
import { UsageError } from '../command-line/usage-error.ts';
import type { VerbName } from '../command-line/verb-table.ts';
import { printCommand, printable } from '../output/printable.ts';

export interface WaitingAsk {
  readonly agent: AgentHandle;
  readonly ask: RequestEvent;
}

export type PermissionEvent = Extract<RequestEvent, { readonly kind: 'permission.requested' }>;

const NAME_CHARACTERS_MAX = 200;
const LISTED_CHARACTERS_MAX = 100;
const LISTED_MAX = 20;

/** Returns all waiting requests of this kind; the agent that has waited longest comes first. Throws if there are none. */
export async function waitingAsks(
  client: Client,
  verb: VerbName,
  kind: RequestEvent['kind'],
  session: string | undefined,
): Promise<readonly WaitingAsk[]> {
  const agents = session === undefined ? await blockedAgents(client) : [await client.openAgent(session)];
  const found: WaitingAsk[] = [];
  for (const agent of agents)
    for (const ask of await agent.requests()) if (ask.kind === kind) found.push({ agent, ask });
  if (found.length > 0) return found;
  const what = kind === 'question.asked' ? 'question' : 'permission';
  const [agent] = agents;
  const where = session === undefined || !agent ? '' : ` in ${JSON.stringify(agent.info.name)}`;
  throw new UsageError(`no ${what} is waiting${where}`, verb);
}

/** Returns the request with this id. Throws if it is not waiting. */
export function namedAsk(waiting: readonly WaitingAsk[], request: string, verb: VerbName): WaitingAsk {
  const named = waiting.filter(({ ask }) => ask.request === request);
  if (named.length === 1) return named[0]!;
  const which = JSON.stringify(request);
  const why =
    named.length === 0 ? `no request ${which} is waiting` : `several agents wait for ${which}; name the session`;
  throw new UsageError(`${why}${formatAsks(waiting)}`, verb);
}

/** Returns the waiting request if there is only one. Throws if several are waiting: then the caller must name one. */
export function onlyAsk(waiting: readonly WaitingAsk[], verb: VerbName): WaitingAsk {
  if (waiting.length === 1) return waiting[0]!;
  throw new UsageError(`${waiting.length} requests wait: name one with --request${formatAsks(waiting)}`, verb);
}

/** Lists the waiting requests, with the words that name each. An error takes one line. */
export function formatAsks(waiting: readonly WaitingAsk[]): string {
  const lines = waiting.slice(0, LISTED_MAX).map(({ agent, ask }) => {
    const how = printCommand([agent.info.name, '--request', ask.request]);
    return `${how} (${askWords(ask, LISTED_CHARACTERS_MAX)})`;
  });
  const more = waiting.length - lines.length;
  return `; waiting: ${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns a request in one line: the tool and its input, or the question. */
export function askWords(ask: RequestEvent, charactersMax: number): VisibleText {
  if (ask.kind === 'question.asked')
    return visibleTitle(ask.questions.map(({ text }) => text).join(' · ') || 'a question', charactersMax);
  const name = visibleTitle(ask.name ?? 'a tool', NAME_CHARACTERS_MAX);
  const subject = requestSubject(ask, charactersMax);
  return subject === '' ? name : say`${name} ${subject}`;
}

/** The request that has waited longest comes first. */
async function blockedAgents(client: Client): Promise<readonly AgentHandle[]> {
  const sessions = await client.list({ states: ['running'], statuses: ['blocked'] });
  return sessions
    .filter(({ driver }) => driver !== undefined)
    .toSorted((a, b) => a.status.since - b.status.since)
    .map((info) => new AgentHandle(client, info));
}

/** Returns the option with this id, or the only one with this label. The option must be of the kind that the verb chooses. */
export function optionOf(ask: PermissionEvent, text: string, verb: 'approve' | 'deny'): PermissionOption {
  const fitting = ask.options.filter(({ kind }) => kind.startsWith(verb === 'approve' ? 'allow_' : 'reject_'));
  const found = [
    fitting.filter(({ id }) => id === text),
    fitting.filter(({ label }) => label.toLowerCase() === text.toLowerCase()),
  ].find(({ length }) => length > 0);
  if (found?.length === 1) return found[0]!;
  throw new UsageError(`no single option ${JSON.stringify(text)} to ${verb}; ${optionsText(fitting)}`, verb);
}

/** Returns the option that `spool approve` chooses: the named one, the only one for always, or the only one for this time. */
export function allowingOption(
  ask: PermissionEvent,
  { option, always }: { readonly option: string | undefined; readonly always: boolean },
): PermissionOption | null {
  if (option !== undefined) return optionOf(ask, option, 'approve');
  const kind = always ? 'allow_always' : 'allow_once';
  const fitting = ask.options.filter((each) => each.kind === kind);
  if (fitting.length === 1) return fitting[0]!;
  if (!always && ask.options.length === 0) return null;
  const allowing = ask.options.filter((each) => each.kind.startsWith('allow_'));
  const why = always
    ? fitting.length === 0
      ? 'the agent does not offer to allow this always'
      : `the agent offers ${fitting.length} ways to allow this always`
    : `the agent offers ${fitting.length === 0 ? 'no way' : 'several ways'} to allow this once`;
  throw new UsageError(`${why}; ${optionsText(always && fitting.length > 0 ? fitting : allowing)}`, 'approve');
}

function optionsText(options: readonly PermissionOption[]): string {
  if (options.length === 0) return 'it offers no such option';
  return `choose with --option: ${options.map(({ id, label }) => `${printCommand([id])} (${printable(label)})`).join(', ')}`;
}
