/** The end of a session's output, as a user saw it: without escapes, a progress bar in its last state. */
import { checkWhole } from './check.ts';
import type { Client } from './client.ts';

export type TailOptions = { readonly bytes: number } | { readonly lines: number };

/** The first estimate of the length of lines; if it is too short, four times as much is read. */
const LINE_BYTES_GUESS = 400;
const BYTES_MAX = 16 * 1024 * 1024;

export async function tail(client: Client, session: string, options: TailOptions): Promise<string> {
  if ('bytes' in options) return (await lastText(client, session, checkWhole('bytes', options.bytes))).lines.join('\n');
  checkWhole('lines', options.lines);
  for (let bytes = Math.max(16 * 1024, options.lines * LINE_BYTES_GUESS); ; bytes *= 4) {
    const { lines, isWhole } = await lastText(client, session, bytes);
    // The first line may have started before the part that was read.
    if (lines.length > options.lines || isWhole || bytes > BYTES_MAX)
      return options.lines === 0 ? '' : lines.slice(-options.lines).join('\n');
  }
}

async function lastText(
  client: Client,
  session: string,
  bytes: number,
): Promise<{ lines: string[]; isWhole: boolean }> {
  const { LINES_LOOK_BACK_BYTES, LineStreams } = await import('@spool/vt');
  const { id, offset, firstOffset } = await client.get(session);
  const from = Math.max(firstOffset, offset - bytes);
  const text = new LineStreams(from);
  const lines: string[] = [];
  for await (const item of client.watch(id, { from: Math.max(firstOffset, from - LINES_LOOK_BACK_BYTES) })) {
    if (item.type === 'output') for (const line of text.feed(item.stream, item.bytes, item.offset)) lines.push(line);
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') break;
  }
  lines.push(...text.flush());
  return { lines, isWhole: from === firstOffset };
}

/** Returns the time since the last output of a session, in seconds. */
export function idleSeconds(
  info: { readonly lastOutputAt: number | null; readonly startedAt: number },
  now = Date.now(),
): number {
  return Math.max(0, (now - (info.lastOutputAt ?? info.startedAt)) / 1000);
}

/** The ends of shell prompts. They are one piece of evidence, not proof: `status` weighs them with the others. */
const PROMPT_ENDS = ['$ ', '% ', '# ', '> '];

/** Returns whether the last output looks as if a shell waits for a command. The text should be the last 256 bytes or so. */
export function looksLikeShellPrompt(text: string): boolean {
  const end = text.slice(-256).replace(/[\r\n]+$/, '');
  return PROMPT_ENDS.some((ending) => end.endsWith(ending));
}
