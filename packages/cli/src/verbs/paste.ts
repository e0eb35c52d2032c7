/** `spool paste`: pastes text into a session. */
import { openForRequests, type VerbAction } from '../program.ts';
import { namedJson } from '../output/session-json.ts';
import { printJson } from '../output/stdio.ts';
import { sessionAndText } from '../command-line/text-operand.ts';

const paste: VerbAction<'paste'> = async ({ flags, operands }, program) => {
  const { session, text } = await sessionAndText('paste', flags, operands);
  await using client = await openForRequests(program);
  const info = await client.get(session);
  await client.paste(info.id, text);
  if (flags.json) printJson({ ...namedJson(info), bytes: Buffer.byteLength(text) });
  return 0;
};

export default paste;
