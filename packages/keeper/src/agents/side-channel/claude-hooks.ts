/**
 * Makes the folder of a session in which the hooks of Claude Code record what happens, and the settings that give Claude these
 * hooks. Nothing in the user's files changes: the settings are an argument of this one process. Keeps CHAN-1 with `native/hook`.
 * Keeps CHAN-46.
 */
import { copyFile, link, mkdir, writeFile } from 'node:fs/promises';
import { CHANNEL_ANSWERS, CHANNEL_LINES } from '@spool/protocol';

/** Claude waits for these hooks, which end at once. */
const HOOK_SECONDS = 10;
/** A request waits for a person. */
const REQUEST_SECONDS = 7 * 24 * 3600;

const EVENTS = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'StopFailure',
] as const;
const REQUEST_EVENT = 'PermissionRequest';

/** Returns the arguments for Claude. */
export async function prepareClaudeHooks(folder: string, program: string): Promise<readonly string[]> {
  await mkdir(`${folder}/${CHANNEL_ANSWERS}`, { recursive: true, mode: 0o700 });
  // A keeper that died after this point has already created the files.
  await writeFile(`${folder}/${CHANNEL_LINES}`, '', { flag: 'a', mode: 0o600 });
  const own = `${folder}/hook`;
  await link(program, own).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(program, own);
  });
  const settings = `${folder}/settings.json`;
  await writeFile(settings, JSON.stringify(claudeSettings(folder, own)), { mode: 0o600 });
  return ['--settings', settings];
}

/** Returns the settings: one hook for each event. A hook whose program is missing does nothing. */
function claudeSettings(folder: string, program: string): object {
  const command = (...words: readonly string[]): string => {
    const line = [program, folder, ...words].map(quote).join(' ');
    return `test -x ${quote(program)} && exec ${line}; exit 0`;
  };
  const hooks = Object.fromEntries(
    EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command: command(), timeout: HOOK_SECONDS }] }]]),
  );
  const request = { type: 'command', command: command('hold'), timeout: REQUEST_SECONDS };
  return { hooks: { ...hooks, [REQUEST_EVENT]: [{ hooks: [request] }] } };
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
