/** `spool summary`: what became of a session, or how it stands, on a page. */
import { openClient, type VerbAction } from '../program.ts';
import { print } from '../output/stdio.ts';

const summary: VerbAction<'summary'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  // Shared with `run`, and for nobody else to load.
  const { summaryText } = await import('../session-output/summary-text.ts');
  print(await summaryText(client, operands[0] ?? '', flags.json));
  return 0;
};

export default summary;
