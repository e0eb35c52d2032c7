/** `spool wait`: waits until sessions end, become idle, ask or print something, and reports which. */
import { type WaitEnd, waitFor, waitForFirst } from '@spool/client/waits';
import { openClient, openForRequests, type VerbAction } from '../program.ts';
import { print, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { endCode, endJson, endLine, wantedOf } from '../waits/wait-end.ts';

const wait: VerbAction<'wait'> = async ({ flags, operands }, program) => {
  const wanted = wantedOf(flags.until.length === 0 ? ['exit'] : flags.until, 'wait');
  if (flags.fromNow && flags.after !== undefined) throw new UsageError('use --from-now or --after, not both', 'wait');
  await using client = await (wanted.pattern === null ? openForRequests(program) : openClient(program));
  const startedAt = process.hrtime.bigint();
  const sessions = await Promise.all((operands.length === 0 ? [''] : operands).map((operand) => client.get(operand)));
  const timeoutMs =
    flags.timeout === undefined
      ? undefined
      : Math.max(1, flags.timeout - Number(process.hrtime.bigint() - startedAt) / 1e6);
  const places = sessions.map(({ id, offset }) => ({ session: id, after: flags.fromNow ? offset : flags.after }));
  // With a pattern alone, the user usually wants the first session that matches.
  const isAny = flags.any || (wanted.pattern !== null && wanted.until.length === 0);
  const ends =
    isAny && places.length > 1
      ? [tell(await waitForFirst(client, places, wanted, { timeoutMs }))]
      : await Promise.all(
          places.map(async ({ session, after }) => tell(await waitFor(client, session, wanted, { timeoutMs, after }))),
        );
  return ends.map((end) => endCode(end, wanted)).find((code) => code !== 0) ?? 0;

  /** Prints each end when it comes: one line for each session, in JSON too. */
  function tell(end: WaitEnd): WaitEnd {
    if (flags.json) printJson(endJson(end));
    else print(endLine(end));
    return end;
  }
};

export default wait;
