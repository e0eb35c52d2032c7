/** `spool logs`: what a session wrote, as a person saw it or as it is. */
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

/** More than an attached terminal gets: here a reader that keeps up wants all there is, fast. */
const CREDIT_BYTES = 4 * 1024 * 1024;

const logs: VerbAction<'logs'> = async ({ flags, operands }, program) => {
  if (flags.tail !== undefined && flags.tail < 0)
    throw new UsageError('--tail needs a number of lines, 0 or more', 'logs');
  if (flags.tail !== undefined && flags.tailBytes !== undefined)
    throw new UsageError('--tail and --tail-bytes exclude each other', 'logs');
  if (flags.force && !flags.raw) throw new UsageError('--force goes with --raw', 'logs');
  if (flags.text && flags.raw) throw new UsageError('--text and --raw exclude each other', 'logs');
  const since = flags.since === undefined ? undefined : logPlaceOf(flags.since, '--since', 'logs');
  const wanted = flags.stdout === flags.stderr ? null : flags.stdout ? 'stdout' : 'stderr';
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  const from = await beginning(client, session, { ...flags, since });
  const json = new OutputJson(session.id);
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
  if (asked.tail === undefined) return since; // 0, not 'start': what is no longer kept is then told as a gap
  const isText = !asked.raw && session.size !== null;
  return Math.max(since, await lastLines(client, session, asked.tail, isText));
}

async function offsetOf(client: Client, session: SessionInfo, place: LogPlace | undefined): Promise<number> {
  if (place === undefined) return 0;
  return 'offset' in place ? Math.min(place.offset, session.offset) : await client.offsetAt(session.id, place.time);
}
