/** Returns the question of a session, from its screen or, for an agent without a terminal, from its events. */
import type { Client } from '@spool/client/node';
import { isAskedByAgent, type SessionInfo } from '@spool/protocol';
import { askedText } from './agent-requests.ts';
import { screenLines } from './screen-text.ts';

/** The number of lines to show: a dialog is at the bottom of the screen, with its subject above it. */
const DIALOG_LINES = 15;

/** Returns the last lines of the screen (without a terminal: of the output), each after a line break; '' if there are none. */
export async function dialogText(client: Client, session: SessionInfo): Promise<string> {
  const { id, size } = session;
  if (isAskedByAgent(session)) return await askedText(client, id);
  const lines =
    size === null ? (await client.tail(id, { lines: DIALOG_LINES })).split('\n') : await linesOf(client, id);
  const shown = lines.filter((line) => line.trim() !== '').slice(-DIALOG_LINES);
  return shown.length === 0 ? '' : `\n${shown.join('\n')}`;
}

async function linesOf(client: Client, id: string): Promise<readonly string[]> {
  return screenLines((await client.screen(id)).content);
}
