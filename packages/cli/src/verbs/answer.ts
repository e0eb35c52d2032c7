/** `spool answer`: answers a question of an agent. If several questions are waiting, the caller names one. Keeps SHOW-11. */
import { namedAsk, onlyAsk, waitingAsks } from '../agents/pending-asks.ts';
import { printDecision } from '../agents/print-decision.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { openClient, type VerbAction } from '../program.ts';

const answer: VerbAction<'answer'> = async ({ flags, operands }, program) => {
  const [session, ...texts] = operands;
  if (flags.decline === texts.length > 0) throw new UsageError('give an ANSWER or --decline', 'answer');
  await using client = await openClient(program);
  const waiting = await waitingAsks(client, 'answer', 'question.asked', session);
  const found = flags.request === undefined ? onlyAsk(waiting, 'answer') : namedAsk(waiting, flags.request, 'answer');
  const { agent, ask } = found;
  if (ask.kind !== 'question.asked') return 0;
  if (texts.length > ask.questions.length)
    throw new UsageError(`there are ${ask.questions.length} questions, and ${texts.length} answers`, 'answer');
  const answers: Record<string, unknown> = {};
  for (const [at, text] of texts.entries()) answers[ask.questions[at]!.id] = text;
  return printDecision(found, await agent.answer(ask, flags.decline ? undefined : answers), flags.json);
};

export default answer;
