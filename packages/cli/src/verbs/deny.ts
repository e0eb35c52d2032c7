/** `spool deny`: denies a request of an agent. If several requests are waiting, the caller names one. Keeps SHOW-11. */
import { namedAsk, onlyAsk, optionOf, type PermissionEvent, waitingAsks } from '../agents/pending-asks.ts';
import { printDecision } from '../agents/print-decision.ts';
import { openClient, type VerbAction } from '../program.ts';

const deny: VerbAction<'deny'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const waiting = await waitingAsks(client, 'deny', 'permission.requested', operands[0]);
  const found = flags.request === undefined ? onlyAsk(waiting, 'deny') : namedAsk(waiting, flags.request, 'deny');
  const { agent, ask } = found;
  const option = flags.option === undefined ? undefined : optionOf(ask as PermissionEvent, flags.option, 'deny').id;
  const how = { message: flags.message, option, ...(flags.interrupt && { interrupt: true }) };
  return printDecision(found, await agent.deny(ask, how), flags.json);
};

export default deny;
