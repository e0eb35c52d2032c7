/** `spool approve`: allows what an agent asks for. */
import { findAsk, optionOf } from '../agents/pending-asks.ts';
import { tellDecision } from '../agents/told-decision.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { openClient, type VerbAction } from '../program.ts';

const approve: VerbAction<'approve'> = async ({ flags, operands }, program) => {
  if (flags.always && flags.option !== undefined) throw new UsageError('use --always or --option, not both', 'approve');
  const input = flags.input === undefined ? undefined : inputOf(flags.input);
  await using client = await openClient(program);
  const found = await findAsk(client, 'approve', 'permission.requested', {
    session: operands[0],
    request: flags.request,
  });
  const { agent, ask } = found;
  const always =
    ask.kind === 'permission.requested' ? ask.options.find(({ kind }) => kind === 'allow_always') : undefined;
  if (flags.always && !always) throw new UsageError('the agent does not offer to allow this always', 'approve');
  const option = flags.always ? always!.id : optionOf(ask, flags.option, 'approve');
  return tellDecision(found, await agent.approve(ask.request, { option, input }), flags.json);
};

export default approve;

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${(error as Error).message}`, 'approve');
  }
}
