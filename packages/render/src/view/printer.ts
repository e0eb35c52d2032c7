/**
 * Prints a transcript line by line, for a pipe and for a reader who follows: printed lines never change. A text is printed when
 * it is complete, a tool in two parts: its action when that is known, its result at the end. Any cut of the events gives the same
 * lines. Keeps SHOW-2.
 */
import type { AgentEvent } from '@spool/protocol/agent';
import { type Line, span } from '../lines.ts';
import type { TranscriptEntry, ToolEntry } from '../transcript/entries.ts';
import { isSettled } from '../transcript/entries.ts';
import { Transcript } from '../transcript/transcript.ts';
import { isApart } from './document.ts';
import { entryLines, isHidden, toolHead, toolTail, type ViewOptions } from './entry-lines.ts';

export class TranscriptPrinter {
  readonly transcript = new Transcript();
  readonly #options: ViewOptions;
  /** Tools whose head is printed. Requests that are printed as pending. */
  readonly #begun = new Set<TranscriptEntry>();
  readonly #plans = new Map<TranscriptEntry, ReadonlyMap<string, string>>();
  #last: TranscriptEntry | null = null;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Returns the lines that this event has made final. */
  take(event: AgentEvent): readonly Line[] {
    const entry = this.transcript.take(event);
    if (!entry) return [];
    if (entry.kind === 'ask') return this.#after(entry, entryLines(entry, this.#options));
    if (isHidden(entry, this.#options)) return [];
    if (entry.kind === 'tool') return this.#tool(entry);
    if (entry.kind === 'plan') return this.#plan(entry);
    return isSettled(entry) ? this.#after(entry, entryLines(entry, this.#options)) : [];
  }

  /** Returns the unfinished entries in their present state. */
  rest(): readonly Line[] {
    return this.transcript.entries
      .filter((entry) => !isSettled(entry) && entry.kind !== 'ask' && entry.kind !== 'tool')
      .flatMap((entry) => this.#after(entry, entryLines(entry, this.#options)));
  }

  #tool(entry: TranscriptEntry & ToolEntry): readonly Line[] {
    const lines: Line[] = [];
    if (entry.isKnown && !this.#begun.has(entry)) {
      this.#begun.add(entry);
      lines.push(...this.#after(entry, this.#indented(entry, toolHead({ ...entry, status: null }, this.#options))));
    }
    if (entry.status === null) return lines;
    this.#begun.delete(entry);
    // The answer to its permission has just reported it.
    const isTold = entry.status === 'denied' && entry.permission?.decision === 'deny';
    const tail = isTold ? [] : toolTail(entry, this.#options);
    const isLast = this.#last === entry || (this.#last?.kind === 'ask' && this.#last.ask.tool === entry.tool);
    if (isLast || tail.length === 0) return [...lines, ...this.#indented(entry, tail)];
    return [...lines, ...this.#after(entry, this.#indented(entry, [...toolHead(entry, this.#options), ...tail]))];
  }

  /** Prints the whole plan at first, then only its changes. */
  #plan(entry: TranscriptEntry & { kind: 'plan' }): readonly Line[] {
    const before = this.#plans.get(entry) ?? new Map<string, string>();
    this.#plans.set(entry, new Map(entry.entries.map(({ text, status }) => [text, status])));
    const entries = entry.entries.filter(({ text, status }) => before.get(text) !== status);
    return entries.length === 0 ? [] : this.#after(entry, entryLines({ ...entry, entries }, this.#options));
  }

  #indented(entry: TranscriptEntry, lines: readonly Line[]): readonly Line[] {
    return entry.agent === undefined ? lines : lines.map((line) => [span('┆ ', { dim: true }), ...line]);
  }

  #after(entry: TranscriptEntry, lines: readonly Line[]): readonly Line[] {
    if (lines.length === 0) return [];
    const space = this.#last && this.#last !== entry && isApart(this.#last, entry) ? [[]] : [];
    this.#last = entry;
    return [...space, ...lines];
  }
}
