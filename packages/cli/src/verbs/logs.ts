/** `spool logs`: what a session wrote, as text or as it is. */
import type { Client } from '@spool/client';
import type { SessionInfo, WatchFrom } from '@spool/protocol';
import { OutputJson } from '../output-json.ts';
import { PlainText } from '../plain-text.ts';
import { openClient, type VerbAction } from '../program.ts';
import { gapWords } from '../session-words.ts';
import { notice, writeOut } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';

/** More than an attached terminal gets: here a reader that keeps up wants all there is, fast. */
const CREDIT_BYTES = 4 * 1024 * 1024;

const logs: VerbAction<'logs'> = async ({ flags, operands }, program) => {
  if (flags.tail !== undefined && flags.tail < 0)
    throw new UsageError('--tail needs a number of lines, 0 or more', 'logs');
  if (flags.tail !== undefined && flags.tailBytes !== undefined)
    throw new UsageError('--tail and --tail-bytes exclude each other', 'logs');
  const wanted = flags.stdout === flags.stderr ? null : flags.stdout ? 'stdout' : 'stderr';
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  const from = await beginning(client, session, flags.tail, flags.tailBytes);
  const text = { stdout: new PlainText(), stderr: new PlainText() };
  const json = new OutputJson(session.id);

  for await (const item of client.watch(session.id, { from, creditBytes: CREDIT_BYTES })) {
    if (item.type === 'output' && wanted !== null && item.stream !== wanted) continue;
    if (flags.json) await writeOut(json.line(item));
    else if (item.type === 'output') await writeOut(flags.raw ? item.bytes : text[item.stream].push(item.bytes));
    else if (item.type === 'gap') notice(`spool: ${gapWords(item.from, item.to)}`);
    else if (item.type === 'removed') notice('spool: the session was removed');
    if (item.type === 'synced' && !flags.follow) break;
  }
  if (!flags.json && !flags.raw) for (const plain of [text.stdout, text.stderr]) await writeOut(plain.end());
  return 0;
};

export default logs;

async function beginning(
  client: Client,
  session: SessionInfo,
  lines: number | undefined,
  tailBytes: number | undefined,
): Promise<WatchFrom> {
  if (tailBytes !== undefined) return { tailBytes };
  if (lines === undefined) return 0; // not 'start': what is no longer kept is then told as a gap
  return await lastLines(client, session, lines);
}

/** A first guess of how long lines are; when it is too short, four times as much is looked at. */
const LINE_BYTES_GUESS = 200;

/** The offset where the last `lines` lines begin. It reads backwards by reading forwards from ever further back. */
async function lastLines(client: Client, { id, offset, firstOffset }: SessionInfo, lines: number): Promise<number> {
  if (lines === 0) return offset;
  for (let bytes = Math.max(64 * 1024, lines * LINE_BYTES_GUESS); ; bytes *= 4) {
    const from = Math.max(firstOffset, offset - bytes);
    const begin = await lineBegin(client, id, from, offset, lines);
    if (begin !== null) return begin;
    if (from === firstOffset) return firstOffset;
  }
}

/** The offset after the newline that comes before the last `lines` lines, or null when there are not so many newlines. */
async function lineBegin(client: Client, id: string, from: number, to: number, lines: number): Promise<number | null> {
  /** Offsets after the last `lines + 1` newlines: a newline at the very end begins no line. */
  const begins: number[] = [];
  for await (const item of client.watch(id, { from, creditBytes: CREDIT_BYTES })) {
    if (item.type === 'output') {
      for (let at = item.bytes.indexOf(0x0a); at !== -1; at = item.bytes.indexOf(0x0a, at + 1)) {
        const begin = item.offset + at + 1;
        if (begin >= to) break;
        begins.push(begin);
        if (begins.length > lines * 2 + 1024) begins.splice(0, begins.length - lines);
      }
    }
    if (item.type === 'synced') break;
  }
  return begins.length >= lines ? begins.at(-lines)! : null;
}
