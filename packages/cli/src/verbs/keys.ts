/** `spool keys`: named keys, pressed in a session one after the other. */
import { encodeKey, KEY_NAMES } from '../keys.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printJson } from '../stdio.ts';
import { nearest } from '../suggestion.ts';
import { UsageError } from '../usage-error.ts';

const keys: VerbAction<'keys'> = async ({ flags, operands }, program) => {
  const session = flags.latest ? '' : operands[0]!;
  const names = flags.latest ? operands : operands.slice(1);
  if (names.length === 0) throw new UsageError('`keys` needs KEY', 'keys');
  const encoded = names.map(bytesOf);
  await using client = await openClient(program);
  const { id } = await client.get(session);
  // Each key is its own write, as from a keyboard: an Escape and a letter in one write would be Alt and that letter.
  for (const bytes of encoded) await client.write(id, Buffer.from(bytes));
  if (flags.json) printJson({ id, keys: names });
  return 0;
};

export default keys;

function bytesOf(name: string): string {
  const bytes = encodeKey(name);
  if (bytes !== null) return bytes;
  const meant = nearest(name, KEY_NAMES);
  const hint = meant ? `did you mean ${meant}?` : 'spool help keys names them; for text there is spool send';
  throw new UsageError(`there is no key ${JSON.stringify(name)}; ${hint}`, 'keys');
}
