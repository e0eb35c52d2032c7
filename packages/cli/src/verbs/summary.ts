/** `spool summary`: prints the result or the present state of a session, on one page; with -f repeatedly, until its end. */
import { openClient, type VerbAction } from '../program.ts';
import { jsonText } from '../output/json-text.ts';
import { print, writeText } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** The shortest interval. A summary reads the screen, the history and the folder: a shorter interval would only cost more. */
const EVERY_MS_MIN = 1000;

const summary: VerbAction<'summary'> = async ({ flags, operands }, program) => {
  const { every, follow } = flags;
  if (every !== undefined && every < EVERY_MS_MIN) throw new UsageError('--every must be 1s or more', 'summary');
  await using client = await openClient(program);
  // Loaded on use; only `summary` and `run` need it.
  const { shownPage, summaryText } = await import('../session-output/summary-text.ts');
  const session = operands[0] ?? '';
  if (!follow && every === undefined) {
    print(await summaryText(client, session, flags.json));
    return 0;
  }
  const { summaries } = await import('@spool/client/node');
  let isFirst = true;
  for await (const event of summaries(client, session, { everyMs: every })) {
    const { name } = event.summary;
    const text = flags.json ? jsonText({ ...event, name }) : `${isFirst ? '' : '\n'}${await shownPage(event.summary)}`;
    await writeText(`${text}\n`);
    isFirst = false;
  }
  return 0;
};

export default summary;
