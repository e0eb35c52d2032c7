/** Returns the text that a verb types: its operands, a file or stdin. */
import { readFile } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';
import type { VerbName } from './verb-table.ts';

/** The session and the text. A single `-` as TEXT reads stdin. */
export async function sessionAndText(
  verb: VerbName,
  { file, latest }: { readonly file?: string | undefined; readonly latest: boolean },
  operands: readonly string[],
): Promise<{ session: string; text: string }> {
  const session = latest ? '' : operands[0]!;
  const words = latest ? operands : operands.slice(1);
  if (file !== undefined && words.length > 0) throw new UsageError('use TEXT or --file, not both', verb);
  const source = file ?? (words.length === 1 && words[0] === '-' ? '-' : undefined);
  const text = source === undefined ? words.join(' ') : await read(source);
  if (text === '') throw new UsageError('nothing to type: give TEXT or --file', verb);
  return { session, text };
}

async function read(source: string): Promise<string> {
  if (source !== '-') return await readFile(source, 'utf8');
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += String(piece);
  return text;
}
