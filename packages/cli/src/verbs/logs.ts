/** `spool logs`: prints the output of sessions, as a person saw it or as raw bytes. Keeps PAST-42. */
import type { Client } from '@spool/client';
import { isHeadless, type SessionInfo } from '@spool/protocol';
import { type LogPlace, logPlaceOf } from '../command-line/log-place.ts';
import type { VERBS } from '../command-line/verb-table.ts';
import type { ParsedArguments } from '../command-line/arguments.ts';
import type { LineFilter } from '../session-output/line-filter.ts';
import { OutputJson } from '../session-output/output-json.ts';
import { openClient, type VerbAction } from '../program.ts';
import { SessionOutput } from '../session-output/session-output.ts';
import { gapWords } from '../output/session-words.ts';
import { displayWidth, printable } from '../output/printable.ts';
import { notice, wantsColour, writeText } from '../output/stdio.ts';
import { ownSession } from '../output/own-session.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** The credit: more than for an attached terminal, because the reader wants all output as fast as possible. */
const CREDIT_BYTES = 4 * 1024 * 1024;

type Flags = ParsedArguments<(typeof VERBS)['logs']>['flags'];

const logs: VerbAction<'logs'> = async ({ flags, operands }, program) => {
  check(flags);
  if (operands.length > 1 && flags.raw) throw new UsageError('--raw prints one session; name only one', 'logs');
  const since = flags.since === undefined ? undefined : logPlaceOf(flags.since, '--since', 'logs', { isAge: true });
  const end = flags.until === undefined ? undefined : logPlaceOf(flags.until, '--until', 'logs', { isAge: true });
  const { LineFilter, linePattern } = await import('../session-output/line-filter.ts');
  const pattern = flags.grep === undefined ? undefined : linePattern(flags.grep, { isCaseIgnored: flags.ignoreCase });
  const request = { flags, since, end, newFilter: () => new LineFilter({ pattern, context: flags.context }) };
  await using client = await openClient(program);
  const [first = '', ...others] = operands;
  if (others.length === 0) await printOne(client, await client.get(first), { ...request, write: writeText });
  else await printSeveral(client, await Promise.all(operands.map((id) => client.get(id))), request);
  return 0;
};

export default logs;

interface LogRequest {
  readonly flags: Flags;
  readonly since: LogPlace | undefined;
  readonly end: LogPlace | undefined;
  readonly newFilter: () => LineFilter;
}

/** Prints several sessions: one after the other, or with --follow in the order in which lines arrive. */
async function printSeveral(client: Client, sessions: readonly SessionInfo[], request: LogRequest): Promise<void> {
  const { PrefixedLines } = await import('../session-output/prefixed-lines.ts');
  const width = Math.max(...sessions.map(({ name }) => displayWidth(printable(name))));
  const print = async (session: SessionInfo): Promise<void> => {
    // A line of JSON itself names its session.
    if (request.flags.json) return await printOne(client, session, { ...request, write: writeText });
    const lines = new PrefixedLines(session.name, width, writeText);
    await printOne(client, session, { ...request, write: lines.write });
    await lines.end();
  };
  if (request.flags.follow) await Promise.all(sessions.map(print));
  else for (const session of sessions) await print(session);
}

async function printOne(
  client: Client,
  session: SessionInfo,
  { flags, since, end, newFilter, write }: LogRequest & { readonly write: (text: string) => Promise<void> },
): Promise<void> {
  // Its output is the agent's own protocol.
  if (isHeadless(session) && !flags.raw) {
    const place = [since, end].find((each) => each !== undefined && 'offset' in each);
    if (place) throw new UsageError('an agent without a terminal has no offsets here; use a time', 'logs');
    const times = {
      since: since && 'time' in since ? since.time : undefined,
      until: end && 'time' in end ? end.time : undefined,
    };
    if (flags.json) {
      const ofText = (['grep', 'tail'] as const).find((name) => flags[name] !== undefined);
      if (ofText) throw new UsageError(`--json prints the events of an agent; --${ofText} is for its text`, 'logs');
      const { printAgentEvents } = await import('../agents/agent-events-json.ts');
      return await printAgentEvents(client, session.id, { follow: flags.follow, ...times });
    }
    const { printTranscript } = await import('../agents/transcript-output.ts');
    return await printTranscript(client, session, {
      isFollowing: flags.follow,
      isFull: flags.full,
      tail: flags.tail,
      hasTimes: flags.timestamps,
      ...times,
      filter: newFilter(),
      write,
    });
  }
  // The offset at a time is after the output of that very moment, but that output belongs to the requested range.
  const from = await offsetOf(client, session, since && 'time' in since ? { time: since.time - 1 } : since);
  const until = end === undefined ? undefined : await offsetOf(client, session, end);
  const first = flags.tailBytes === undefined ? from : Math.max(from, (until ?? session.offset) - flags.tailBytes, 0);
  if (flags.raw) return await writeBytes(client, session, { from: first, until }, flags);
  const { printSeen } = await import('../session-output/print-seen.ts');
  await printSeen(client, session, {
    from: first,
    until,
    isFollowing: flags.follow && until === undefined,
    wantsFrames: flags.frames,
    // Text for a program has no colours; --text requests the same on a terminal.
    isStyled: !flags.json && !flags.text && wantsColour(1),
    hasTimes: flags.timestamps,
    isJson: flags.json,
    tail: flags.tail,
    stream: streamOf(flags),
    newFilter,
    write,
  });
}

function check(flags: Flags): void {
  const refuse = (words: string): never => {
    throw new UsageError(words, 'logs');
  };
  if (flags.tail !== undefined && flags.tail < 0) refuse('--tail must be 0 or more');
  if (flags.context !== undefined && flags.context < 0) refuse('--context must be 0 or more');
  if (flags.tail !== undefined && flags.tailBytes !== undefined) refuse('--tail cannot be combined with --tail-bytes');
  if (flags.force && !flags.raw) refuse('--force requires --raw');
  if (flags.text && flags.raw) refuse('--text cannot be combined with --raw');
  if (flags.context !== undefined && flags.context < 0) refuse('--context must be 0 or more');
  if (flags.context !== undefined && flags.grep === undefined) refuse('--context requires --grep');
  if (flags.ignoreCase && flags.grep === undefined) refuse('--ignore-case requires --grep');
  const textOnly = (['grep', 'timestamps', 'frames'] as const).find(
    (name) => flags[name] !== undefined && flags[name] !== false,
  );
  if (textOnly !== undefined && flags.raw) refuse(`--${textOnly} needs text; it cannot be combined with --raw`);
}

const streamOf = ({ stdout, stderr }: Flags): 'stdout' | 'stderr' | undefined =>
  stdout === stderr ? undefined : stdout ? 'stdout' : 'stderr';

/** Prints the exact bytes, or the same as events in NDJSON. */
async function writeBytes(
  client: Client,
  session: SessionInfo,
  { from, until = Infinity }: { readonly from: number; readonly until: number | undefined },
  flags: Flags,
): Promise<void> {
  const json = new OutputJson(session);
  using raw = new SessionOutput(1, { isForced: flags.force });
  const wanted = streamOf(flags);
  let begin = from; // 0, not 'start', so that deleted output is reported as a gap
  if (flags.tail !== undefined) {
    const { lastLines } = await import('../session-output/last-lines.ts');
    begin = Math.max(from, await lastLines(client, session, flags.tail));
  }
  const inside = flags.follow ? ownSession() : undefined;
  for await (const item of client.watch(session.id, { from: begin, creditBytes: CREDIT_BYTES, inside })) {
    if (item.type === 'output') {
      if (item.offset >= until) break;
      if (wanted !== undefined && item.stream !== wanted) continue;
      const bytes = item.bytes.subarray(0, until - item.offset);
      await (flags.json ? writeText(json.line({ ...item, bytes })) : raw.write(bytes));
    } else if (flags.json) await writeText(json.line(item));
    else if (item.type === 'gap') notice(`spool: ${gapWords(item.from, item.to)}`);
    else if (item.type === 'removed') notice('spool: the session was removed');
    if (item.type === 'synced' && !flags.follow) break;
  }
}

async function offsetOf(client: Client, session: SessionInfo, place: LogPlace | undefined): Promise<number> {
  if (place === undefined) return 0;
  return 'offset' in place ? Math.min(place.offset, session.offset) : await client.offsetAt(session.id, place.time);
}
