/** `spool summary`: the result or the current state of a session, on one page. */
import { openClient, type VerbAction } from '../program.ts';
import { print } from '../output/stdio.ts';

const summary: VerbAction<'summary'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  // Loaded on use; only `summary` and `run` need it.
  const { summaryText } = await import('../session-output/summary-text.ts');
  print(await summaryText(client, operands[0] ?? '', flags.json));
  return 0;
};

export default summary;
