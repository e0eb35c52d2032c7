/** `spool keys`: named keys, pressed in a session one after the other. */
import { encodeKey, INITIAL_MODES } from '@spool/vt';
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
  for (const bytes of encoded) await client.write(id, bytes);
  if (flags.json) printJson({ id, keys: names });
  return 0;
};

export default keys;

/** For the hint when a name is mistyped. */
const KEY_NAMES: readonly string[] = [
  'Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown'.split(' '),
  Array.from({ length: 12 }, (_, at) => `F${at + 1}`),
].flat();

/** As a terminal sends them to a program that has set no modes: which it has is known to the keeper alone. */
function bytesOf(name: string): Uint8Array {
  const bytes = encodeKey(name, INITIAL_MODES);
  if (bytes !== undefined) return bytes;
  const meant = nearest(name, KEY_NAMES);
  const hint = meant ? `did you mean ${meant}?` : 'spool help keys names them; for text there is spool send';
  throw new UsageError(`there is no key ${JSON.stringify(name)}; ${hint}`, 'keys');
}
