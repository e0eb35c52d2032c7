/** `spool keys`: presses keys in a session, one after the other. */
import type { RequestClient } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { encodeKey, keyNames } from '@spool/vt/keys';
import { INITIAL_MODES, type ModeState } from '@spool/vt/modes';
import { openForRequests, type VerbAction } from '../program.ts';
import { namedJson } from '../output/session-json.ts';
import { printJson } from '../output/stdio.ts';
import { nearest } from '../command-line/suggestion.ts';
import { UsageError } from '../command-line/usage-error.ts';

const keys: VerbAction<'keys'> = async ({ flags, operands }, program) => {
  const session = flags.latest ? '' : operands[0]!;
  const names = keyNames(flags.latest ? operands : operands.slice(1));
  if (names.length === 0) throw new UsageError('`keys` needs KEY', 'keys');
  for (const name of names) bytesOf(name, INITIAL_MODES); // rejects a wrong name before any key is pressed
  await using client = await openForRequests(program);
  const info = await client.get(session);
  const { id } = info;
  const modes = await modesOf(client, info);
  // Each key is a separate write, as from a keyboard: an Escape and a letter in one write would be Alt and that letter.
  for (const name of names) await client.write(id, bytesOf(name, modes));
  if (flags.json) printJson({ ...namedJson(info), keys: names });
  return 0;
};

export default keys;

/** The names of keys, for suggestions when one is mistyped. */
const KEY_NAMES: readonly string[] = [
  'Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown'.split(' '),
  Array.from({ length: 12 }, (_, at) => `F${at + 1}`),
].flat();

/** The keyboard modes of the program: arrow keys, for example, send other bytes in an editor than in a shell. */
async function modesOf(client: RequestClient, { id, size, state }: SessionInfo): Promise<ModeState> {
  if (size === null || state !== 'running') return INITIAL_MODES;
  const { content } = await client.screen(id, { format: 'json' });
  return (JSON.parse(content) as { modes: ModeState }).modes;
}

function bytesOf(name: string, modes: ModeState): Uint8Array {
  const bytes = encodeKey(name, modes);
  if (bytes !== undefined) return bytes;
  const meant = nearest(name, KEY_NAMES);
  const hint = meant ? `did you mean ${meant}?` : 'spool help keys lists them; use spool send to type text';
  throw new UsageError(`unknown key ${JSON.stringify(name)}; ${hint}`, 'keys');
}
