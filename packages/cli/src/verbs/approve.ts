/**
 * `spool approve`: allows a request of an agent. At a terminal it shows the request whole and asks; a script names the request. The
 * answer carries the digest of the shown request. Keeps SHOW-11.
 */
import type { Client } from '@spool/client/node';
import type { PermissionOption } from '@spool/protocol/agent';
import {
  allowingOption,
  formatAsks,
  namedAsk,
  type PermissionEvent,
  type WaitingAsk,
  waitingAsks,
} from '../agents/pending-asks.ts';
import { printDecision } from '../agents/print-decision.ts';
import { confirm } from '../command-line/confirm.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice } from '../output/stdio.ts';
import { openClient, type VerbAction } from '../program.ts';

const approve: VerbAction<'approve'> = async ({ flags, operands }, program) => {
  if (flags.always && flags.option !== undefined) throw new UsageError('use --always or --option, not both', 'approve');
  if (flags.digest !== undefined && flags.request === undefined)
    throw new UsageError('--digest requires --request', 'approve');
  const input = flags.input === undefined ? undefined : inputOf(flags.input);
  await using client = await openClient(program);
  const found = await chosenAsk(client, operands[0], flags);
  const ask = found.ask as PermissionEvent;
  if (ask.isCut === true)
    throw new UsageError('the request is too large to be shown whole: it can only be denied', 'approve');
  const option = allowingOption(ask, flags);
  if (flags.request === undefined && !(await isWanted(found, option, input))) return EXIT.failed;
  const ref = { request: ask.request, digest: flags.digest ?? ask.digest };
  return printDecision(found, await found.agent.approve(ref, { option: option?.id, input }), flags.json);
};

export default approve;

async function chosenAsk(
  client: Client,
  session: string | undefined,
  { request, json }: { readonly request: string | undefined; readonly json: boolean },
): Promise<WaitingAsk> {
  const waiting = await waitingAsks(client, 'approve', 'permission.requested', session);
  if (request !== undefined) return namedAsk(waiting, request, 'approve');
  if (!json && canAsk()) return waiting[0]!;
  throw new UsageError(
    `without a terminal that shows the request, name it: spool approve ID --request REQUEST${formatAsks(waiting)}`,
    'approve',
  );
}

/** Returns whether a person sees the output and can answer. */
function canAsk(): boolean {
  return isTerminal(0) && isTerminal(2);
}

/** Shows the request with every effect of the answer, and asks. */
async function isWanted(found: WaitingAsk, option: PermissionOption | null, input: unknown): Promise<boolean> {
  const { agent, ask } = found;
  const { shownRequest } = await import('../agents/shown-request.ts');
  notice(shownRequest(ask, 2));
  if (input !== undefined) notice(`  with this input instead: ${printable(JSON.stringify(input))}`);
  const how = option === null ? 'allow once' : `${printable(option.label)} (${printable(option.id)})`;
  if (await confirm(`${printable(agent.info.name)}: ${how}?`)) return true;
  notice('Nothing was answered.');
  return false;
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${(error as Error).message}`, 'approve');
  }
}
