/** `spool update`: changes the name, labels or size policy of a session. */
import { labels } from '../command-line/labels.ts';
import { openForRequests, type VerbAction } from '../program.ts';
import { sizePolicyOf } from '../command-line/size-policy.ts';
import { printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

const update: VerbAction<'update'> = async ({ flags, operands }, program) => {
  const sizePolicy = sizePolicyOf(flags.sizePolicy, 'update');
  const added = labels(flags.label, 'update');
  if (flags.name === undefined && sizePolicy === undefined && flags.label.length === 0)
    throw new UsageError('nothing to change: give --name, --label or --size-policy', 'update');
  await using client = await openForRequests(program);
  const { id, labels: before } = await client.get(operands[0] ?? '');
  const merged = Object.fromEntries(Object.entries({ ...before, ...added }).filter(([, value]) => value !== ''));
  const session = await client.update(id, {
    name: flags.name,
    labels: flags.label.length === 0 ? undefined : merged,
    sizePolicy,
  });
  if (flags.json) printJson(session);
  return 0;
};

export default update;
