/** `spool rename`: renames a session. */
import { openClient, type VerbAction } from '../program.ts';
import { printJson } from '../output/stdio.ts';

const rename: VerbAction<'rename'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const session = await client.update(operands[0]!, { name: operands[1]! });
  if (flags.json) printJson(session);
  return 0;
};

export default rename;
