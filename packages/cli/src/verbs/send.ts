/** `spool send`: types text into a session, exactly as given. */
import { createReadStream } from 'node:fs';
import { openForRequests, type VerbAction } from '../program.ts';
import { writeWhenTaken } from '../attach/session-input.ts';
import { namedJson } from '../output/session-json.ts';
import { notice, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

const send: VerbAction<'send'> = async ({ flags, operands }, program) => {
  const session = flags.latest ? '' : operands[0]!;
  const words = flags.latest ? operands : operands.slice(1);
  const file = flags.file ?? (words.length === 1 && words[0] === '-' ? '-' : undefined);
  if (flags.file !== undefined && words.length > 0) throw new UsageError('use TEXT or --file, not both', 'send');
  if (file === undefined && words.length === 0 && !flags.enter)
    throw new UsageError('nothing to send: give TEXT, --file or --enter', 'send');
  if (file === undefined && words.length > 0 && words.join('') === '')
    throw new UsageError('TEXT is empty; use --enter to press Enter', 'send');

  if (flags.key !== undefined && file !== undefined) throw new UsageError('--key requires TEXT', 'send');
  const source = file === undefined ? null : await openSource(file);
  await using client = await openForRequests(program);
  // Resolves the name once, so that all pieces go to the same session even if names change.
  const info = await client.get(session);
  const { id } = info;
  let bytes = 0;
  const put = async (piece: Uint8Array): Promise<void> => {
    await writeWhenTaken(client, id, piece);
    bytes += piece.length;
  };
  if (flags.key !== undefined) {
    const text = `${words.join(' ')}${flags.enter ? '\r' : ''}`;
    const isSent = await client.writeOnce(id, flags.key, text);
    if (flags.json) printJson({ ...namedJson(info), bytes: isSent ? Buffer.byteLength(text) : 0, isRepeated: !isSent });
    else if (!isSent) notice('Text with this key was already typed; nothing was typed now.');
    return 0;
  }
  if (source !== null) for await (const piece of source) await put(piece);
  else if (words.length > 0) await put(Buffer.from(words.join(' ')));
  // Enter is a separate write: a program that treats the text as a paste would treat Enter as part of it.
  if (flags.enter) await put(Buffer.from('\r'));
  if (flags.json) printJson({ ...namedJson(info), bytes });
  return 0;
};

export default send;

/** Opens the file before anything is sent, so that a missing file has no effect. */
async function openSource(file: string): Promise<AsyncIterable<Buffer>> {
  if (file === '-') return process.stdin;
  const stream = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve()).once('error', reject);
  });
  return stream;
}
