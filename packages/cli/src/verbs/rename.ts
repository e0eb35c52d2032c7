/** `spool rename`: renames a session. */
import { openForRequests, type VerbAction } from '../program.ts';
import { printJson } from '../output/stdio.ts';

const rename: VerbAction<'rename'> = async ({ flags, operands }, program) => {
  await using client = await openForRequests(program);
  const session = await client.update(operands[0]!, { name: operands[1]! });
  if (flags.json) printJson(session);
  return 0;
};

export default rename;
