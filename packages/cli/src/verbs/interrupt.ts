/** `spool interrupt`: interrupts the turn of an agent. */
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { print, printJson } from '../output/stdio.ts';

const interrupt: VerbAction<'interrupt'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const agent = await client.openAgent(operands[0] ?? '');
  const { offset } = await agent.interrupt(flags.queued ? { alsoQueued: true } : {});
  if (flags.json) printJson({ id: agent.id, name: agent.info.name, offset });
  else print(`Interrupted ${printable(agent.info.name)}.`);
  return 0;
};

export default interrupt;
