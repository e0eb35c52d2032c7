/** Prints a session's output as a person saw it: all of it, the last lines, or as it comes. Keeps PAST-1 to PAST-4. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { gapWords } from '../output/session-words.ts';
import { notice } from '../output/stdio.ts';
import { colouredText } from './coloured-text.ts';
import { LastShown, type LineFilter, type ShownLine } from './line-filter.ts';
import { LineJsonWriter } from './line-json.ts';
import { LinePrinter } from './line-printer.ts';
import { readSeen, type SeenListener, type SeenOptions } from './seen-output.ts';
import { shownLines } from './shown-lines.ts';

export interface PrintOptions extends SeenOptions {
  /** Creates a filter: each read begins with a new one. */
  readonly newFilter: () => LineFilter;
  readonly hasTimes?: boolean | undefined;
  /** Whether to print a JSON object for each line. */
  readonly isJson?: boolean | undefined;
  /** The number of past lines to print. */
  readonly tail?: number | undefined;
  readonly write: (text: string) => Promise<void>;
}

/** The number of bytes that are read first to find the last lines; if these are not enough, four times as many, up to all. */
const TAIL_BYTES = 256 * 1024;
const LINE_BYTES_GUESS = 200;

export async function printSeen(client: Client, session: SessionInfo, options: PrintOptions): Promise<void> {
  const { tail, from, until = session.offset } = options;
  if (tail === undefined) return await printFrom(client, session, options, null);
  const first = Math.max(from, session.firstOffset);
  for (let bytes = Math.max(TAIL_BYTES, tail * LINE_BYTES_GUESS); ; bytes *= 4) {
    const begin = Math.max(first, until - bytes);
    const last = new LastShown(tail);
    const isEnough = (): boolean => begin === first || last.count > tail;
    try {
      return await printFrom(client, session, { ...options, from: begin === first ? from : begin }, { last, isEnough });
    } catch (error) {
      if (error !== TOO_FEW) throw error;
    }
  }
}

const TOO_FEW = Symbol('too few lines');

interface TailFilter {
  readonly last: LastShown;
  readonly isEnough: () => boolean;
}

async function printFrom(
  client: Client,
  session: SessionInfo,
  options: PrintOptions,
  tail: TailFilter | null,
): Promise<void> {
  const { hasTimes = false, isJson = false, write } = options;
  const filter = options.newFilter();
  const hasEnded = session.state !== 'running';
  const json = isJson ? new LineJsonWriter(session, write) : null;
  const printer = json ?? new LinePrinter(write, { hasTimes, textOf: options.isStyled ? colouredText : undefined });
  let held = tail;
  const flush = async (): Promise<void> => {
    if (held === null) return;
    if (!held.isEnough()) throw TOO_FEW;
    const lines = held.last.lines();
    held = null;
    await printer.print(lines);
  };
  const listener: SeenListener = {
    async take(items) {
      const now = Date.now();
      const lines: ShownLine[] = [];
      for (const item of items)
        if (item.type === 'line' && filter.passesAll) lines.push(item);
        else for (const line of shownLines(item, now, hasEnded)) lines.push(...filter.pass(line));
      if (held !== null) for (const line of lines) held.last.add(line);
      else await printer.print(lines);
    },
    async showOpen(text, at) {
      if (held === null && filter.wouldPass(text)) await printer.showOpen(text, at);
    },
    onLive: flush,
    onGap: (from, to) => (json ? void json.gap(from, to) : notice(`spool: ${gapWords(from, to)}`)),
    onRemoved: () => (json ? void json.removed() : notice('spool: the session was removed')),
  };
  await readSeen(client, session, { ...options, wantsTimes: hasTimes || isJson }, listener);
  await flush();
  await printer.end();
}
