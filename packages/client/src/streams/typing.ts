/**
 * Encodes keys and pastes in the form that the session's program has enabled: arrows follow its cursor-key mode, a paste is
 * bracketed.
 */
import { type SessionInfo, SpoolError } from '@spool/protocol';
import type { ModeState } from '@spool/vt';
import type { RequestClient } from '../request-client.ts';
import type { Requester } from '../link/requests.ts';
import { utf8 } from '../link/runtime.ts';
import type { Vt } from './viewer-output.ts';

/** Returns the keyboard modes that the program has set. */
export async function modesOf(client: RequestClient, { id, size, state }: SessionInfo): Promise<ModeState> {
  if (size === null || state !== 'running') return (await import('@spool/vt/modes')).INITIAL_MODES;
  return modesIn((await client.screen(id, { format: 'json' })).content);
}

/** Returns the modes at an offset (default: now); those of a fresh terminal if there are none, or none any more. */
export async function screenModes(requester: Requester, vt: Vt, session: string, offset?: number): Promise<ModeState> {
  const at = offset === undefined ? undefined : { offset };
  try {
    return modesIn((await requester.again('screen', { session, at, format: 'json' })).content);
  } catch (error) {
    if (SpoolError.is(error)) return vt.INITIAL_MODES;
    throw error;
  }
}

/** Returns the bytes of each key; the modes are requested after the names have been checked. */
export async function encodeKeys(
  vt: Vt,
  words: readonly string[],
  modes: () => Promise<ModeState>,
): Promise<readonly Uint8Array[]> {
  const names = vt.keyNames(words);
  const unknown = names.find((name) => vt.encodeKey(name, vt.INITIAL_MODES) === undefined);
  if (unknown !== undefined) throw new SpoolError('KEY_UNKNOWN', { key: unknown });
  const state = await modes();
  return names.map((name) => vt.encodeKey(name, state)!);
}

/**
 * Presses keys; each is a separate write, as from a keyboard: an Escape and a letter in one write would be Alt and that letter.
 */
export async function pressKeys(client: RequestClient, session: string, words: readonly string[]): Promise<void> {
  let id = '';
  const keys = await encodeKeys(await import('@spool/vt'), words, async () => {
    const info = await client.get(session);
    id = info.id;
    return modesOf(client, info);
  });
  for (const bytes of keys) await client.write(id, bytes);
}

export async function pasteText(client: RequestClient, session: string, text: string): Promise<void> {
  const { paste } = await import('@spool/vt/keys');
  const info = await client.get(session);
  await client.write(info.id, paste(utf8(text), await modesOf(client, info)));
}

const modesIn = (content: string): ModeState => (JSON.parse(content) as { modes: ModeState }).modes;
