/** Draws `spool watch` as lines that fit the terminal. Control characters in untrusted text are escaped. */
import type { Size } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import {
  cutLine,
  joinVisible,
  type Line,
  lineWidth,
  plainText,
  repeated,
  sliceVisible,
  type Span,
  span,
  type SpanStyle,
} from '@spool/render/lines';
import { cutToWidth, displayWidth } from '../output/printable.ts';
import { type StateGroup, groupOf, GROUPS } from '../output/session-order.ts';
import { GAP, stateOf, type Widths, widthsOf } from './columns.ts';
import type { ActionResult } from './actions.ts';
import { type Footer, footerLine, helpLines } from './footer.ts';
import type { Layout } from './layout.ts';
import { doingOf, type Row, sinceOf } from './list.ts';
import { LOOKS } from './looks.ts';
import { messageLines } from './message.ts';
import { clean, fit } from './text.ts';

export interface WatchPicture {
  readonly rows: readonly Row[];
  readonly counts: ReadonlyMap<StateGroup, number>;
  readonly selected: string | null;
  /** The index of the first row that is shown. */
  readonly top: number;
  readonly lastLines: ReadonlyMap<string, string>;
  readonly filter: string;
  /** Whether the filter is being typed in the last line. */
  readonly isFiltering: boolean;
  /** The order of the list, unless it is the usual one. */
  readonly order: string | null;
  readonly showsEnded: boolean;
  readonly showsHelp: boolean;
  readonly layout: Layout;
  /** The title above the preview. */
  readonly previewTitle: string;
  /** The lines of a panel that asks something. */
  readonly panel: readonly string[];
  /** The lines of an agent's request. */
  readonly request: readonly Line[];
  /** A message that is too long for the last line. */
  readonly message: ActionResult | null;
  readonly footer: Footer;
  readonly now: number;
}

/** Returns the lines of the picture. The rows of the preview are null, because the preview paints them. */
export function pictureOf(picture: WatchPicture, size: Size): (Line | null)[] {
  const { layout } = picture;
  const width = Math.max(1, size.cols - 1); // a full line would leave the cursor between two lines
  const shown = picture.rows.slice(picture.top, picture.top + layout.list);
  const widths = widthsOf(picture.rows, picture.lastLines, width);
  const head: Line[] = [];
  if (layout.head > 0) head.push(header(picture, width));
  if (layout.head > 1) head.push(picture.showsHelp ? [] : [span(titleLine(picture, widths, width), LOOKS.faint)]);
  const lines: (Line | null)[] = [];
  const bodyRows = size.rows - head.length - (layout.hasFooter ? 1 : 0);
  if (picture.showsHelp) lines.push(...helpLines(bodyRows, width));
  else {
    if (shown.length === 0) lines.push([span(cutToWidth(say`  ${emptyWords(picture)}`, width), LOOKS.faint)]);
    else lines.push(...shown.map((row) => rowLine(row, picture, widths, width)));
    while (lines.length < layout.list) lines.push([]);
    if (layout.preview > 0) {
      lines.push([span(rule(picture.previewTitle, width), LOOKS.faint)]);
      for (let row = 0; row < layout.preview; row++) lines.push(null);
    }
    lines.push(...panelLines(picture, size.cols).slice(0, layout.panel));
  }
  while (lines.length < bodyRows) lines.push([]);
  const footer = layout.hasFooter ? [footerLine(picture, width)] : [];
  return [...head, ...lines.slice(0, bodyRows), ...footer].slice(0, size.rows);
}

function panelLines({ panel, request, message }: WatchPicture, cols: number): Line[] {
  const told = message === null ? [] : messageLines(message.text, cols);
  return [
    ...panel.map((line) => [span(cutToWidth(say` ${clean(line)}`, Math.max(1, cols - 1)))]),
    ...request,
    ...told.map((line) => [span(line, message!.isTrouble ? LOOKS.trouble : LOOKS.title)]),
  ];
}

/** Returns the header, `2 blocked · 3 working · 1 idle`: it counts all sessions, including those that the filter hides. */
function header({ counts, filter, isFiltering, order, showsEnded }: WatchPicture, width: number): Line {
  const groups = GROUPS.filter((group) => (counts.get(group) ?? 0) > 0).flatMap((group, at): Span[] => {
    const hidden = group === 'ended' && !showsEnded ? say` (hidden)` : say``;
    const count = span(say`${counts.get(group)!} ${visible(group)}${hidden}`, LOOKS[group]);
    return at === 0 ? [count] : [span(' · '), count];
  });
  const filtered = filter === '' || isFiltering ? say`` : say`${GAP}/${clean(filter)}`;
  const ordered = order === null ? say`` : say`${GAP}by ${visible(order)}`;
  const line = [
    span(' '),
    span('spool', LOOKS.title),
    span(GAP),
    ...groups,
    span(say`${filtered}${ordered}`, LOOKS.title),
  ];
  return lineWidth(line) > width ? cutPlainly(line, width, LOOKS.title) : line;
}

/** Returns a line that is too wide, in a single look. */
function cutPlainly(line: Line, width: number, look: SpanStyle): Line {
  return [span(plainText(cutLine(line, width)), look)];
}

/** Returns the title above the preview: `── build · 200×50 ─────`. */
function rule(title: string, width: number): VisibleText {
  const text = title === '' ? say`` : say`── ${cutToWidth(clean(title), Math.max(0, width - 6))} `;
  return cutToWidth(say`${text}${repeated('─', Math.max(0, width - displayWidth(text)))}`, width);
}

/** Returns the titles of the columns; at the right, the visible part of a longer list. */
function titleLine({ rows, top, layout }: WatchPicture, widths: Widths, width: number): VisibleText {
  const line = cutToWidth(titles(widths), width);
  if (rows.length <= layout.list) return line;
  const part = say`${top + 1}–${Math.min(top + layout.list, rows.length)} of ${rows.length}`;
  const room = Math.max(0, width - displayWidth(part));
  const cut = cutToWidth(line, Math.max(0, room - GAP.length));
  return cutToWidth(say`${fit(cut, Math.max(displayWidth(cut), room))}${part}`, width);
}

function titles({ state, name, age, doing, last }: Widths): VisibleText {
  const text = joinVisible(
    [
      say`  ${fit(say`STATE`, state)}`,
      fit(say`NAME`, name),
      ...(age > 0 ? [say`SINCE`] : []),
      ...(doing > 0 ? [fit(say`DOING`, doing)] : []),
      ...(last > 0 ? [say`LAST LINE`] : []),
    ],
    '  ',
  );
  return sliceVisible(text, 0, text.trimEnd().length);
}

function rowLine(row: Row, picture: WatchPicture, widths: Widths, width: number): Line {
  const group = groupOf(row);
  const state = fit(say`${group === 'blocked' ? say`! ` : GAP}${stateOf(row, width)}`, widths.state + 2);
  const age = visible(shortDuration(picture.now - sinceOf(row)).padStart(widths.age));
  const rest = joinVisible([fit(clean(row.name), widths.name), ...(widths.age > 0 ? [age] : [])], '  ');
  const said = clean(picture.lastLines.get(row.id) ?? '');
  // Returns the only text if there is room for one: the activity, or else the last line.
  const told = clean(doingOf(row)) || (widths.last === 0 ? said : say``);
  // A question is often the last line too; it is shown once, and gets the room of both.
  const hasLast = widths.last > 0 && said !== '' && said !== told;
  const room = widths.doing + (hasLast || widths.last === 0 ? 0 : GAP.length + widths.last);
  const doing = widths.doing > 0 ? say`${GAP}${hasLast ? fit(told, room) : cutToWidth(told, room)}` : say``;
  const last = hasLast ? say`${GAP}${cutToWidth(said, widths.last)}` : say``;
  const isEnded = group === 'ended';
  const isBad = isEnded && (row.state === 'failed' || row.state === 'lost');
  const restLook = isEnded ? LOOKS.ended : {};
  const line: Line = [
    span(state, isBad ? LOOKS.failed : LOOKS[group]),
    span(GAP, restLook),
    span(rest, group === 'blocked' ? LOOKS.title : restLook),
    span(doing, restLook),
    span(last, LOOKS.faint),
  ];
  if (row.id === picture.selected) return [span(fit(plainText(line), width), LOOKS.chosen)];
  return lineWidth(line) > width ? cutPlainly(line, width, LOOKS[group]) : line;
}

function emptyWords({ filter, showsEnded, counts }: WatchPicture): VisibleText {
  if (filter !== '') return visible(`No session contains ${JSON.stringify(clean(filter))}; press escape to show all.`);
  const ended = counts.get('ended') ?? 0;
  if (ended > 0 && !showsEnded) return say`No session is running; ${ended} ended (press a to show).`;
  return say`There are no sessions; press n to start one.`;
}
