/** `spool deny`: denies what an agent asks for. */
import { findAsk, optionOf } from '../agents/pending-asks.ts';
import { tellDecision } from '../agents/told-decision.ts';
import { openClient, type VerbAction } from '../program.ts';

const deny: VerbAction<'deny'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const found = await findAsk(client, 'deny', 'permission.requested', { session: operands[0], request: flags.request });
  const { agent, ask } = found;
  const option = optionOf(ask, flags.option, 'deny');
  const how = { message: flags.message, option, ...(flags.interrupt && { interrupt: true }) };
  return tellDecision(found, await agent.deny(ask.request, how), flags.json);
};

export default deny;
