/** What an attached agent looks like: the transcript, the ask that waits, the queue, the prompt, one line of status. Pure. */
import type { Size } from '@spool/protocol';
import {
  ansiLine,
  type Asked,
  type Colouring,
  costText,
  countText,
  cutLine,
  DocumentView,
  durationText,
  type Line,
  lineWidth,
  span,
  type Transcript,
  visibleTitle,
} from '@spool/render';
import { panelLines } from './ask-panel.ts';
import type { PromptEditor } from './editor.ts';

export interface AgentPicture {
  readonly name: string;
  readonly transcript: Transcript;
  readonly editor: PromptEditor;
  /** Lines above the end at which the view stands. */
  readonly scrolled: number;
  readonly ask: Asked | null;
  readonly isAnswering: boolean;
  /** What the editor's text is for; null: a prompt. */
  readonly writing: 'message' | 'input' | 'answer' | null;
  readonly isReadOnly: boolean;
  readonly isFull: boolean;
  /** Prompts on their way to the daemon. */
  readonly sending: readonly string[];
  /** One line for the user, instead of the keys. */
  readonly notice: string | null;
  readonly isLoading: boolean;
  readonly detachKey: string;
  readonly now: number;
}

export interface PaintedPicture {
  readonly lines: readonly string[];
  /** Where the cursor stands; null: hidden. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
  /** As far as it could be scrolled. */
  readonly scrolled: number;
}

const QUEUE_LINES_MAX = 3;
const EDITOR_LINES_MAX = 8;
const FAINT = { dim: true } as const;

const LABELS = { message: 'why not: ', input: 'command: ', answer: 'answer: ' } as const;

export class AgentPainter {
  #view: DocumentView | null = null;
  #key = '';

  paint(picture: AgentPicture, { cols, rows }: Size, colouring: Colouring): PaintedPicture {
    const width = Math.max(8, cols - 1); // the last column stays free: a full line would wrap in some terminals
    const below: Line[] = [];
    const { ask, isReadOnly, transcript } = picture;
    const statusRows = 1;
    const editor = isReadOnly || transcript.isEnded ? null : editorLines(picture, width, rows);
    const room = Math.max(1, rows - statusRows - (editor?.lines.length ?? 0));
    if (ask !== null) {
      const others = transcript.pending.length - 1;
      const most = Math.max(2, Math.min(room - 1, Math.floor((rows * 2) / 3)));
      const isFocused = picture.isAnswering && picture.writing === null;
      below.push(
        ...panelLines(ask, {
          width,
          rows: most,
          others,
          isFocused,
          isWriting: picture.writing !== null,
          mayAnswer: !isReadOnly,
        }),
      );
    }
    const queued = queueLines(picture, width);
    below.push(...queued.slice(0, Math.max(0, room - below.length - 2)));
    const rule: Line[] = room - below.length > 3 ? [[span('─'.repeat(width), FAINT)]] : [];
    const viewRows = Math.max(0, room - below.length - rule.length);
    const view = this.#documentView(width, picture.isFull);
    const shown = view.last(transcript, viewRows, picture.scrolled);
    const body: Line[] = [...shown.lines];
    if (body.length === 0) body.push([span(picture.isLoading ? 'reading…' : 'nothing yet', FAINT)]);
    // The text begins at the top while there is room.
    while (body.length < viewRows) body.push([]);
    if (shown.skipped > 0 && body.length > 0)
      body[body.length - 1] = [
        span(`↓ ${shown.skipped} more lines (PgDn; Esc: to the end)`, { dim: true, bold: true }),
      ];
    const editorTop = viewRows + rule.length + below.length;
    const lines = [...body.slice(0, viewRows), ...rule, ...below, ...(editor?.lines ?? []), statusLine(picture, width)];
    const hasCursor = editor !== null && (!picture.isAnswering || picture.writing !== null);
    return {
      lines: lines.slice(0, rows).map((line) => ansiLine(cutLine(line, width), colouring)),
      cursor: hasCursor ? { row: editorTop + editor.row, col: Math.min(editor.col, cols - 1) } : null,
      scrolled: shown.skipped,
    };
  }

  #documentView(width: number, isFull: boolean): DocumentView {
    const key = `${width} ${isFull}`;
    if (key !== this.#key || this.#view === null) this.#view = new DocumentView({ width, isFull, hidesAsks: true });
    this.#key = key;
    return this.#view;
  }
}

function editorLines(
  { editor, writing }: AgentPicture,
  width: number,
  rows: number,
): { lines: Line[]; row: number; col: number } {
  const label = writing === null ? '> ' : LABELS[writing];
  const look = { tone: writing === null ? 'prompt' : 'ask', bold: true } as const;
  const { lines, row, col } = editor.shown(width - label.length);
  const most = Math.max(1, Math.min(EDITOR_LINES_MAX, Math.floor(rows / 3)));
  const first = Math.max(0, Math.min(row - most + 1, lines.length - most));
  const shown = lines.slice(first, first + most);
  return {
    lines: shown.map((text, at): Line => [span(at === 0 ? label : ' '.repeat(label.length), look), span(text)]),
    row: row - first,
    col: col + label.length,
  };
}

function queueLines({ transcript: { queue }, sending }: AgentPicture, width: number): Line[] {
  const lines = [
    ...queue.map(({ text }): Line => [span(`… ${visibleTitle(text, width)}`, FAINT)]),
    ...sending.map((text): Line => [span(`↑ ${visibleTitle(text, width)}`, FAINT)]),
  ];
  if (lines.length <= QUEUE_LINES_MAX) return lines;
  const hidden = lines.length - QUEUE_LINES_MAX + 1;
  return [...lines.slice(0, QUEUE_LINES_MAX - 1), [span(`… and ${hidden} more prompts wait`, FAINT)]];
}

/** What it does at the left, what it has cost at the right; between them, the keys. */
function statusLine(picture: AgentPicture, width: number): Line {
  const { name, transcript, notice, isReadOnly, detachKey, now, ask, isAnswering } = picture;
  const { turnSince, totals, detail } = transcript;
  const title = visibleTitle(name, 30);
  const state: Line = transcript.isEnded
    ? [span(`${title} has ended`, { dim: true, bold: true })]
    : ask !== null
      ? [span(`${title} waits for you`, { tone: 'ask', bold: true })]
      : transcript.isWorking
        ? [
            span(`${title} works`, { tone: 'working' }),
            span(
              `${detail === undefined ? '' : `: ${visibleTitle(detail, 20)}`}${turnSince === undefined ? '' : ` ${durationText(Math.max(0, Math.floor((now - turnSince) / 1000) * 1000)).replace('.0s', 's')}`}`,
              FAINT,
            ),
          ]
        : [span(`${title} is idle`, FAINT)];
  const cost = [
    ...(totals.context === undefined ? [] : [`${countText(totals.context.used)}/${countText(totals.context.size)}`]),
    ...(totals.costUsd === undefined || totals.costUsd === 0 ? [] : [costText(totals.costUsd)]),
  ].join(' · ');
  const hints = [
    ...(isReadOnly ? ['read-only'] : []),
    ...(transcript.isWorking && !isReadOnly && !(ask !== null && isAnswering) ? ['Esc interrupts'] : []),
    ...(detachKey === '' ? [] : [`${detachKey} detaches`]),
    'Ctrl-O expands',
  ];
  const middle = notice ?? hints.join(' · ');
  const room = width - lineWidth(state) - cost.length - 4;
  const told: Line =
    room < 8 && notice === null
      ? []
      : [span('  '), span(visibleTitle(middle, 300), notice === null ? FAINT : { tone: 'warning' })];
  const left = notice !== null && room < lineWidth(told) ? told : [...state, ...cutLine(told, Math.max(0, room))];
  const free = width - lineWidth(left) - cost.length;
  return free < 1 || cost === '' ? left : [...left, span(' '.repeat(free)), span(cost, FAINT)];
}
