/**
 * Chooses the id of a Gemini's chat, so that its driver finds the chat file among those of the same project (decision 235). Nothing in
 * the user's files changes: the id is an argument of this one process. Keeps the preparing part of CHAN-30.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { CHANNEL_CHAT, CHANNEL_LINES } from '@spool/protocol';

/** Returns the arguments for Gemini. */
export async function prepareGeminiChat(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const home = env['GEMINI_CLI_HOME'] ?? env['HOME'];
  if (home === undefined) throw new Error('Gemini has no home folder');
  const session = randomUUID();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${folder}/${CHANNEL_LINES}`, '', { flag: 'a', mode: 0o600 });
  const source = { folder: `${home}/.gemini/tmp`, session };
  await writeFile(`${folder}/${CHANNEL_CHAT}`, JSON.stringify(source), { mode: 0o600 });
  return ['--session-id', session];
}
