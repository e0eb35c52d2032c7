/** `spool interrupt`: interrupts the turn of an agent. */
import { commandOutcome, type CommandOutcome, inputTrouble } from '../agents/command-outcome.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';

/** The time within which an interrupted agent usually ends its turn; after it, the outcome is unknown. */
const REACTION_MS = 5000;

const interrupt: VerbAction<'interrupt'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const agent = await client.openAgent(operands[0] ?? '');
  const { id, info } = agent;
  const isIdle = info.status.state === 'idle';
  const sent = await agent.interrupt(flags.queued ? { alsoQueued: true } : {});
  const outcome = await commandOutcome(client, id, sent, {
    withinMs: REACTION_MS,
    ...(!isIdle && { isReaction: ({ kind }) => kind === 'turn.ended' }),
  });
  const isConfirmed = outcome.reaction !== null || (isIdle && outcome.isTaken && outcome.refusal === null);
  const doubt = isConfirmed ? null : doubtOf(outcome, inputTrouble((await client.get(id)).status));
  if (flags.json) printJson({ id, name: info.name, offset: sent.offset, isConfirmed, reason: doubt });
  else if (doubt !== null) notice(`Not confirmed: ${printable(doubt)}.`);
  else if (isIdle) print(`Nothing runs in ${printable(info.name)}.`);
  else print(`Interrupted ${printable(info.name)}.`);
  return isConfirmed ? 0 : outcome.refusal === null ? EXIT.failed : EXIT.notAllowed;
};

export default interrupt;

function doubtOf({ isTaken, refusal }: CommandOutcome, trouble: string | null): string {
  if (refusal !== null) return refusal;
  if (trouble !== null) return trouble;
  const seconds = REACTION_MS / 1000;
  return isTaken ? `the agent has not reacted within ${seconds} s` : `the driver has not taken it within ${seconds} s`;
}
