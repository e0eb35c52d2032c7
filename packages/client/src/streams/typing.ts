/**
 * Keys and pastes in the form that the session's program has enabled: arrows follow its cursor-key mode, a paste is
 * bracketed.
 */
import { type SessionInfo, SpoolError } from '@spool/protocol';
import type { ModeState } from '@spool/vt';
import type { Client } from '../client.ts';
import { utf8 } from '../link/runtime.ts';

/** The keyboard modes that the program has set. */
export async function modesOf(client: Client, { id, size, state }: SessionInfo): Promise<ModeState> {
  if (size === null || state !== 'running') return (await import('@spool/vt')).INITIAL_MODES;
  const { content } = await client.screen(id, { format: 'json' });
  return (JSON.parse(content) as { modes: ModeState }).modes;
}

/** Each key is a separate write, as from a keyboard: an Escape and a letter in one write would be Alt and that letter. */
export async function pressKeys(client: Client, session: string, words: readonly string[]): Promise<void> {
  const { encodeKey, INITIAL_MODES, keyNames } = await import('@spool/vt');
  const names = keyNames(words);
  const unknown = names.find((name) => encodeKey(name, INITIAL_MODES) === undefined);
  if (unknown !== undefined) throw new SpoolError('KEY_UNKNOWN', { key: unknown });
  const info = await client.get(session);
  const modes = await modesOf(client, info);
  for (const name of names) await client.write(info.id, encodeKey(name, modes)!);
}

export async function pasteText(client: Client, session: string, text: string): Promise<void> {
  const { paste } = await import('@spool/vt');
  const info = await client.get(session);
  await client.write(info.id, paste(utf8(text), await modesOf(client, info)));
}
