/** Draws an attached agent: the transcript, the waiting request, the queue, the prompt, and a status line. It is pure. */
import type { Size } from '@spool/protocol';
import { runningDuration } from '@spool/protocol/duration';
import {
  type AgentRequestEvent,
  costText,
  countText,
  cutLine,
  DocumentView,
  joinVisible,
  type Line,
  lineWidth,
  repeated,
  say,
  span,
  type Transcript,
  visible,
  visibleTitle,
} from '@spool/render';
import {
  type AskDocument,
  askDocument,
  panelPart,
  readingPart,
  type PanelOptions,
  type ShownPart,
  type UnconfirmedChoice,
} from './ask-panel.ts';
import type { TextInput } from '../../tui/text-input.ts';
import type { SeenLines } from './request-reading.ts';

export interface AgentPicture {
  readonly name: string;
  readonly transcript: Transcript;
  readonly editor: TextInput;
  /** The number of lines between the view and the end. */
  readonly scrolled: number;
  readonly ask: AgentRequestEvent | null;
  readonly isAnswering: boolean;
  /** The purpose of the editor's text; null means a prompt. */
  readonly writing: 'message' | 'input' | 'answer' | null;
  readonly isReadOnly: boolean;
  readonly isFull: boolean;
  /** The first line of the request that is shown in the whole window; null if the request is in its panel. */
  readonly readingTop: number | null;
  readonly unconfirmed: UnconfirmedChoice | null;
  /** Prompts on their way to the daemon. */
  readonly sending: readonly string[];
  /** A line for the user in place of the keys. */
  readonly notice: string | null;
  readonly isLoading: boolean;
  readonly detachKey: string;
  readonly now: number;
}

export interface PaintedPicture {
  readonly lines: readonly Line[];
  /** The position of the cursor; null hides it. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
  /** The number of lines between the view and the end, as far as the text allows. */
  readonly scrolled: number;
  /** The lines of the waiting request that are in the picture. */
  readonly request: (SeenLines & { readonly ask: AgentRequestEvent }) | null;
}

const QUEUE_LINES_MAX = 3;
const EDITOR_LINES_MAX = 8;
const FAINT = { dim: true } as const;

const LABELS = { message: say`why not: `, input: say`command: `, answer: say`answer: ` } as const;

export class AgentPainter {
  #view: DocumentView | null = null;
  #key = '';
  #request: { readonly ask: AgentRequestEvent; readonly width: number; readonly document: AskDocument } | null = null;

  paint(picture: AgentPicture, size: Size): PaintedPicture {
    const width = Math.max(8, size.cols - 1); // the last column stays free: a full line would wrap in some terminals
    const { lines, ...painted } =
      picture.ask !== null && picture.readingTop !== null
        ? this.#reading(picture, picture.ask, picture.readingTop, width, size.rows)
        : this.#whole(picture, width, size);
    return { ...painted, lines: lines.slice(0, size.rows).map((line) => cutLine(line, width)) };
  }

  /** Returns the waiting request, in the whole window. */
  #reading(picture: AgentPicture, ask: AgentRequestEvent, top: number, width: number, rows: number): PaintedPicture {
    const { lines, mainLines } = this.#requestDocument(ask, width);
    const part = readingPart(ask, lines, top, { ...panelOptions(picture, width), rows: rows - 1 });
    const request = { ask, width, from: part.from, to: part.to, total: lines.length, mainLines };
    return { lines: [...part.lines, statusLine(picture, width)], cursor: null, scrolled: picture.scrolled, request };
  }

  #whole(picture: AgentPicture, width: number, { cols, rows }: Size): PaintedPicture {
    const { ask, isReadOnly, transcript } = picture;
    const editor = isReadOnly || transcript.isEnded ? null : editorLines(picture, width, rows);
    const room = Math.max(1, rows - 1 - (editor?.lines.length ?? 0));
    const document = ask && this.#requestDocument(ask, width);
    const panelRows = Math.max(2, Math.min(room - 1, Math.floor((rows * 2) / 3)));
    const part: ShownPart | null =
      ask && document && panelPart(ask, document.lines, { ...panelOptions(picture, width), rows: panelRows });
    const below: Line[] = [...(part?.lines ?? [])];
    below.push(...queueLines(picture, width).slice(0, Math.max(0, room - below.length - 2)));
    const rule: Line[] = room - below.length > 3 ? [[span(repeated('─', width), FAINT)]] : [];
    const viewRows = Math.max(0, room - below.length - rule.length);
    const shown = this.#documentView(width, picture.isFull).last(transcript, viewRows, picture.scrolled);
    const body = bodyLines(shown, viewRows, picture.isLoading);
    const editorTop = viewRows + rule.length + below.length;
    const hasCursor = editor !== null && (!picture.isAnswering || picture.writing !== null);
    return {
      lines: [...body, ...rule, ...below, ...(editor?.lines ?? []), statusLine(picture, width)],
      cursor: hasCursor ? { row: editorTop + editor.row, col: Math.min(editor.col, cols - 1) } : null,
      scrolled: shown.skipped,
      request: ask &&
        document &&
        part && {
          ask,
          width,
          from: part.from,
          to: part.to,
          total: document.lines.length,
          mainLines: document.mainLines,
        },
    };
  }

  /** Returns the lines of a request, which may be thousands; they are made once for each width. */
  #requestDocument(ask: AgentRequestEvent, width: number): AskDocument {
    if (this.#request?.ask !== ask || this.#request.width !== width)
      this.#request = { ask, width, document: askDocument(ask, width) };
    return this.#request.document;
  }

  #documentView(width: number, isFull: boolean): DocumentView {
    const key = `${width} ${isFull}`;
    if (key !== this.#key || this.#view === null) this.#view = new DocumentView({ width, isFull, hidesAsks: true });
    this.#key = key;
    return this.#view;
  }
}

function panelOptions(picture: AgentPicture, width: number): Omit<PanelOptions, 'rows'> {
  const isWriting = picture.writing !== null;
  return {
    width,
    isFocused: picture.isAnswering && !isWriting,
    isWriting,
    mayAnswer: !picture.isReadOnly,
    unconfirmed: picture.unconfirmed,
  };
}

/**
 * Returns the end of the transcript, or the part that the reader has scrolled to. Empty lines follow a short text, so that it
 * starts at the top.
 */
function bodyLines(
  shown: { readonly lines: readonly Line[]; readonly skipped: number },
  rows: number,
  isLoading: boolean,
): Line[] {
  const body: Line[] = [...shown.lines];
  if (body.length === 0) body.push([isLoading ? span('reading…', FAINT) : span('nothing yet', FAINT)]);
  while (body.length < rows) body.push([]);
  if (shown.skipped > 0)
    body[body.length - 1] = [
      span(say`↓ ${shown.skipped} more lines (PgDn; Esc: to the end)`, { dim: true, bold: true }),
    ];
  return body.slice(0, rows);
}

function editorLines(
  { editor, writing }: AgentPicture,
  width: number,
  rows: number,
): { lines: Line[]; row: number; col: number } {
  const label = writing === null ? say`> ` : LABELS[writing];
  const look = { tone: writing === null ? 'prompt' : 'ask', bold: true } as const;
  const { lines, row, col } = editor.shown(width - label.length);
  const most = Math.max(1, Math.min(EDITOR_LINES_MAX, Math.floor(rows / 3)));
  const first = Math.max(0, Math.min(row - most + 1, lines.length - most));
  const shown = lines.slice(first, first + most);
  return {
    lines: shown.map((text, at): Line => [span(at === 0 ? label : repeated(' ', label.length), look), span(text)]),
    row: row - first,
    col: col + label.length,
  };
}

function queueLines({ transcript: { queue }, sending }: AgentPicture, width: number): Line[] {
  const lines = [
    ...queue.map(({ text }): Line => [span(say`… ${visibleTitle(text, width)}`, FAINT)]),
    ...sending.map((text): Line => [span(say`↑ ${visibleTitle(text, width)}`, FAINT)]),
  ];
  if (lines.length <= QUEUE_LINES_MAX) return lines;
  const hidden = lines.length - QUEUE_LINES_MAX + 1;
  return [...lines.slice(0, QUEUE_LINES_MAX - 1), [span(say`… and ${hidden} more prompts wait`, FAINT)]];
}

/** Returns the status line: the activity at the left, the cost at the right, the keys in between. */
function statusLine(picture: AgentPicture, width: number): Line {
  const { transcript, notice } = picture;
  const { totals } = transcript;
  const state = stateLine(picture);
  const cost = joinVisible(
    [
      ...(totals.context === undefined
        ? []
        : [say`${countText(totals.context.used)}/${countText(totals.context.size)}`]),
      ...(totals.costUsd === undefined || totals.costUsd === 0 ? [] : [costText(totals.costUsd)]),
    ],
    ' · ',
  );
  const middle = notice ?? hintsOf(picture).join(' · ');
  const room = width - lineWidth(state) - cost.length - 4;
  const words: Line =
    room < 8 && notice === null
      ? []
      : [span('  '), span(visibleTitle(middle, 300), notice === null ? FAINT : { tone: 'warning' })];
  const left = notice !== null && room < lineWidth(words) ? words : [...state, ...cutLine(words, Math.max(0, room))];
  const free = width - lineWidth(left) - cost.length;
  return free < 1 || cost === '' ? left : [...left, span(repeated(' ', free)), span(cost, FAINT)];
}

function stateLine({ name, transcript, ask, now }: AgentPicture): Line {
  const title = visibleTitle(name, 30);
  if (transcript.isEnded) return [span(say`${title} has ended`, { dim: true, bold: true })];
  if (ask !== null) {
    const others = transcript.pending.length - 1;
    const more = others > 0 ? say` (${others} more)` : say``;
    return [span(say`${title} waits for you${more}`, { tone: 'ask', bold: true })];
  }
  if (!transcript.isWorking) return [span(say`${title} is idle`, FAINT)];
  const { turnSince, detail } = transcript;
  const what = detail === undefined ? say`` : say`: ${visibleTitle(detail, 20)}`;
  const since = turnSince === undefined ? say`` : say` ${visible(runningDuration(now - turnSince))}`;
  return [span(say`${title} works`, { tone: 'working' }), span(say`${what}${since}`, FAINT)];
}

function hintsOf({ transcript, isReadOnly, detachKey, ask, isAnswering }: AgentPicture): readonly string[] {
  return [
    ...(isReadOnly ? ['read-only'] : []),
    ...(transcript.isWorking && !isReadOnly && !(ask !== null && isAnswering) ? ['Esc interrupts'] : []),
    ...(detachKey === '' ? [] : [`${detachKey} detaches`]),
    ask === null ? 'Ctrl-O expands' : 'Ctrl-O: the whole request',
  ];
}
