/** The transcript of an agent without a terminal as text: `logs`, `attach` into a pipe, `export --text`. Keeps SHOW-4 and SHOW-41. */
import type { AgentEvent, AgentEventItem, Client } from '@spool/client/node';
import type { SessionInfo } from '@spool/protocol';
import { ansiLine, type ColourMode, type Line, plainText, say, span, TranscriptPrinter, visible } from '@spool/render';
import { printCommand, printable } from '../output/printable.ts';
import { isTerminal, notice, terminalWidth, writeText } from '../output/stdio.ts';
import { LastShown, LineFilter, type ShownLine } from '../session-output/line-filter.ts';
import { formatTime } from '../output/local-time.ts';
import { colouringOf } from './colouring.ts';

export interface TranscriptOptions {
  readonly isFollowing?: boolean | undefined;
  /** Whether everything is shown unfolded. */
  readonly isFull?: boolean | undefined;
  /** The number of past lines to print. */
  readonly tail?: number | undefined;
  readonly hasTimes?: boolean | undefined;
  /** The time from which events are shown, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly filter?: LineFilter | undefined;
  readonly write?: ((text: string) => Promise<void>) | undefined;
  /** The width in cells (default: that of the terminal; a pipe has none). */
  readonly width?: number | undefined;
  readonly colouring?: ColourMode | undefined;
  /** Formats a line (default: for a terminal, with `colouring`). */
  readonly lineText?: ((line: Line) => string) | undefined;
  /** Whether notices are left out. */
  readonly isQuiet?: boolean | undefined;
  /** Called with each printed item; true ends the output. */
  readonly onItem?: ((item: AgentEventItem) => Promise<boolean>) | undefined;
}

/** The delay before a request is announced, because a rule of the policy answers sooner. */
const ASK_TOLD_AFTER_MS = 1000;

interface StyledLine extends ShownLine {
  readonly line: Line;
}

export async function printTranscript(
  client: Client,
  session: Pick<SessionInfo, 'id' | 'name'>,
  options: TranscriptOptions = {},
): Promise<void> {
  const { since = -Infinity, until = Infinity, write = writeText, filter = new LineFilter({}) } = options;
  const colouring = options.colouring ?? colouringOf(1);
  const { lineText = (line: Line) => ansiLine(line, colouring) } = options;
  const width = options.width ?? terminalWidth() ?? Infinity;
  const restHint = say`${printCommand(['spool', 'inspect', session.name])} shows them`;
  const printer = new TranscriptPrinter({ width, isFull: options.isFull === true, restHint });
  let last = options.tail === undefined ? null : new LastShown(options.tail);
  let at = 0;
  let isSynced = false;
  let telling: NodeJS.Timeout | undefined;
  await using events = client.watchEvents(session.id);
  for await (const item of events) {
    if (item.type === 'event') {
      ({ at } = item.event);
      if (at > until) break;
      await show(printer.take(item.event));
      if (isSynced && isAsk(item.event)) {
        clearTimeout(telling);
        telling = setTimeout(tellPending, ASK_TOLD_AFTER_MS);
      }
    } else if (item.type === 'gap' && !options.isQuiet)
      notice(`spool: the events from offset ${item.from} to ${item.to} were already deleted`);
    else if (item.type === 'driver-failed' && !options.isQuiet) notice(`spool: ${printable(item.reason)}`);
    else if (item.type === 'synced') {
      if (!options.isFollowing) await show(printer.rest());
      await showLast();
      tellPending();
      isSynced = true;
      if (!options.isFollowing) break;
    }
    if (await options.onItem?.(item)) break;
  }
  clearTimeout(telling);
  await showLast();

  async function show(lines: readonly Line[]): Promise<void> {
    if (at < since) return;
    for (const line of lines) {
      for (const passed of filter.pass({ text: plainText(line), at, line } as StyledLine)) {
        if (last) last.add(passed);
        else await write(textOf(passed));
      }
    }
  }

  async function showLast(): Promise<void> {
    const lines = last?.lines() ?? [];
    last = null;
    for (const line of lines) await write(textOf(line));
  }

  function textOf(shown: ShownLine): string {
    const { line } = shown as Partial<StyledLine>;
    const text = lineText(line ?? [span(visible(shown.text))]);
    return `${options.hasTimes && shown.isHeading !== true ? `${formatTime(shown.at)}  ` : ''}${text}\n`;
  }

  function tellPending(): void {
    const [ask] = printer.transcript.pending;
    if (!ask || options.isQuiet || options.isFollowing || !isTerminal(2)) return;
    const name = printable(session.name);
    const how = ask.kind === 'question.asked' ? `spool answer ${name} …` : `spool approve ${name}, spool deny ${name}`;
    notice(`[spool: ${name} waits for an answer: ${how}]`);
  }
}

const isAsk = ({ kind }: AgentEvent): boolean => kind === 'permission.requested' || kind === 'question.asked';
