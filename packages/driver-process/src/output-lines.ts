/**
 * Splits the output of a session into lines, in the order in which they end, with their place in the log. Lines of stdout and
 * stderr may be interleaved in the log; each is joined from its own stream.
 */
import type { WatchItem } from '@spool/client/driver';
import { agentLines } from '@spool/drivers';
import type { FramedLine } from '@spool/protocol/line-framing';
import { Collector } from './collector.ts';

export type OutputItem =
  | {
      readonly type: 'line';
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
      readonly offset: number;
      readonly length: number;
      readonly isCut?: boolean;
      /** The offset after the last byte of the line. */
      readonly end: number;
      /** Whether reading can continue from `end`: no line of the other stream has begun before it. */
      readonly isClean: boolean;
    }
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  | { readonly type: 'exited'; readonly exitCode: number | null; readonly signal: string | null };

/** Counts the bytes that were read, of all drivers of this process. */
const collector = new Collector();

export async function* outputLines(items: AsyncIterable<WatchItem>): AsyncGenerator<OutputItem, undefined> {
  const framings = { stdout: agentLines(), stderr: agentLines() };
  for await (const item of items) {
    if (item.type === 'output') {
      const { offset, bytes, stream } = item;
      collector.note(bytes.length);
      for (const line of framings[stream].push(bytes, offset)) yield lineOf(stream, line);
    } else if (item.type === 'gap') {
      framings.stdout.drop();
      framings.stderr.drop();
      yield { type: 'gap', from: item.from, to: item.to };
    } else if (item.type === 'exit') {
      for (const stream of ['stdout', 'stderr'] as const)
        for (const line of framings[stream].end(item.offset)) yield lineOf(stream, line);
      yield { type: 'exited', exitCode: item.exitCode, signal: item.signal };
    }
  }
  return undefined;

  function lineOf(stream: 'stdout' | 'stderr', { text, offset, length, end, isCut }: FramedLine): OutputItem {
    const isClean = !framings[stream === 'stdout' ? 'stderr' : 'stdout'].isOpen;
    return { type: 'line', stream, text, offset, length, end, isClean, ...(isCut && { isCut }) };
  }
}
