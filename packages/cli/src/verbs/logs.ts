/** `spool logs`: prints the output of a session, as plain text or as raw bytes. */
import type { Client } from '@spool/client';
import type { SessionInfo, WatchFrom } from '@spool/protocol';
import { lastLines } from '../session-output/last-lines.ts';
import { logPlaceOf, type LogPlace } from '../command-line/log-place.ts';
import { OutputJson } from '../session-output/output-json.ts';
import { openClient, type VerbAction } from '../program.ts';
import { SessionOutput } from '../session-output/session-output.ts';
import { gapWords } from '../output/session-words.ts';
import { notice, writeText } from '../output/stdio.ts';
import { TextPrinter } from '../session-output/text-printer.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** More than for an attached terminal, because the reader wants all output as fast as possible. */
const CREDIT_BYTES = 4 * 1024 * 1024;

const logs: VerbAction<'logs'> = async ({ flags, operands }, program) => {
  if (flags.tail !== undefined && flags.tail < 0) throw new UsageError('--tail must be 0 or more', 'logs');
  if (flags.tail !== undefined && flags.tailBytes !== undefined)
    throw new UsageError('--tail cannot be combined with --tail-bytes', 'logs');
  if (flags.force && !flags.raw) throw new UsageError('--force requires --raw', 'logs');
  if (flags.text && flags.raw) throw new UsageError('--text cannot be combined with --raw', 'logs');
  const since = flags.since === undefined ? undefined : logPlaceOf(flags.since, '--since', 'logs');
  const wanted = flags.stdout === flags.stderr ? null : flags.stdout ? 'stdout' : 'stderr';
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  const from = await beginning(client, session, { ...flags, since });
  const json = new OutputJson(session);
  using stdout = new TextPrinter((text) => writeText(text), { isFollowing: flags.follow });
  using stderr = new TextPrinter((text) => writeText(text), { isFollowing: flags.follow });
  const text = { stdout, stderr };
  using raw = new SessionOutput(1, { isForced: flags.force });

  for await (const item of client.watch(session.id, { from, creditBytes: CREDIT_BYTES })) {
    if (item.type === 'output' && wanted !== null && item.stream !== wanted) continue;
    if (flags.json) await writeText(json.line(item));
    else if (item.type === 'output') await (flags.raw ? raw.write(item.bytes) : text[item.stream].push(item.bytes));
    else if (item.type === 'gap') notice(`spool: ${gapWords(item.from, item.to)}`);
    else if (item.type === 'removed') notice('spool: the session was removed');
    if (item.type === 'synced' && !flags.follow) break;
  }
  if (!flags.json && !flags.raw) for (const printer of [stdout, stderr]) await printer.end();
  return 0;
};

export default logs;

interface Beginning {
  readonly tail?: number | undefined;
  readonly tailBytes?: number | undefined;
  readonly since?: LogPlace | undefined;
  readonly raw: boolean;
}

async function beginning(client: Client, session: SessionInfo, asked: Beginning): Promise<WatchFrom> {
  const since = await offsetOf(client, session, asked.since);
  if (asked.tailBytes !== undefined) return Math.max(since, session.firstOffset, session.offset - asked.tailBytes);
  if (asked.tail === undefined) return since; // 0, not 'start', so that deleted output is reported as a gap
  const isText = !asked.raw && session.size !== null;
  return Math.max(since, await lastLines(client, session, asked.tail, isText));
}

async function offsetOf(client: Client, session: SessionInfo, place: LogPlace | undefined): Promise<number> {
  if (place === undefined) return 0;
  return 'offset' in place ? Math.min(place.offset, session.offset) : await client.offsetAt(session.id, place.time);
}
