/** Draws `spool watch` as lines that fit the terminal. Control characters in untrusted text are escaped. */
import type { Size } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { cutToWidth, displayWidth } from '../output/printable.ts';
import { type StateGroup, groupOf, GROUPS } from '../output/session-order.ts';
import { GAP, stateOf, type Widths, widthsOf } from './columns.ts';
import type { ActionResult } from './actions.ts';
import { type Footer, footerLine, helpLines } from './footer.ts';
import type { Layout } from './layout.ts';
import { doingOf, type Row, sinceOf } from './list.ts';
import { type TextStyler, lookWith } from './looks.ts';
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
  /** The filter is being typed in the last line. */
  readonly isFiltering: boolean;
  /** The order of the list, if it is not the usual one. */
  readonly order: string | null;
  readonly showsEnded: boolean;
  readonly showsHelp: boolean;
  readonly layout: Layout;
  /** The title above the preview. */
  readonly previewTitle: string;
  /** The lines of a panel that asks something. */
  readonly panel: readonly string[];
  /** The lines of an agent's request, which are styled and safe already. */
  readonly request: readonly string[];
  /** A message that is too long for the last line. */
  readonly message: ActionResult | null;
  readonly footer: Footer;
  readonly now: number;
}

/** Returns the lines of the picture. Rows of the preview are null: the preview paints them. */
export function pictureOf(picture: WatchPicture, size: Size, isColoured: boolean): (string | null)[] {
  const look = lookWith(isColoured);
  const { layout } = picture;
  const width = Math.max(1, size.cols - 1); // a full line would leave the cursor between two
  const shown = picture.rows.slice(picture.top, picture.top + layout.list);
  const widths = widthsOf(picture.rows, picture.lastLines, width);
  const head: string[] = [];
  if (layout.head > 0) head.push(header(picture, width, look));
  if (layout.head > 1) head.push(picture.showsHelp ? '' : look('faint', titleLine(picture, widths, width)));
  const lines: (string | null)[] = [];
  const bodyRows = size.rows - head.length - (layout.hasFooter ? 1 : 0);
  if (picture.showsHelp) lines.push(...helpLines(bodyRows, width));
  else {
    if (shown.length === 0) lines.push(look('faint', cutToWidth(`  ${emptyWords(picture)}`, width)));
    else lines.push(...shown.map((row) => rowLine(row, picture, widths, width, look)));
    while (lines.length < layout.list) lines.push('');
    if (layout.preview > 0) {
      lines.push(look('faint', rule(picture.previewTitle, width)));
      for (let row = 0; row < layout.preview; row++) lines.push(null);
    }
    lines.push(...panelLines(picture, size.cols, look).slice(0, layout.panel));
  }
  while (lines.length < bodyRows) lines.push('');
  const footer = layout.hasFooter ? [footerLine(picture, width, look)] : [];
  return [...head, ...lines.slice(0, bodyRows), ...footer].slice(0, size.rows);
}

function panelLines({ panel, request, message }: WatchPicture, cols: number, look: TextStyler): string[] {
  const told = message === null ? [] : messageLines(message.text, cols);
  return [
    ...panel.map((line) => cutToWidth(` ${clean(line)}`, Math.max(1, cols - 1))),
    ...request,
    ...told.map((line) => look(message!.isTrouble ? 'trouble' : 'title', line)),
  ];
}

/** Returns the header, `2 blocked · 3 working · 1 idle`: it counts all sessions, also those that the filter hides. */
function header(
  { counts, filter, isFiltering, order, showsEnded }: WatchPicture,
  width: number,
  look: TextStyler,
): string {
  const parts = GROUPS.flatMap((group) => {
    const count = counts.get(group) ?? 0;
    if (count === 0) return [];
    const isHidden = group === 'ended' && !showsEnded;
    return [{ group, text: `${count} ${group}${isHidden ? ' (hidden)' : ''}` }];
  });
  const name = 'spool';
  const extra = `${filter === '' || isFiltering ? '' : `${GAP}/${clean(filter)}`}${order === null ? '' : `${GAP}by ${order}`}`;
  const plain = ` ${name}${GAP}${parts.map(({ text }) => text).join(' · ')}${extra}`;
  if (displayWidth(plain) > width) return look('title', cutToWidth(plain, width));
  return ` ${look('title', name)}${GAP}${parts.map(({ group, text }) => look(group, text)).join(' · ')}${look('title', extra)}`;
}

/** `── build · 200×50 ─────`. */
function rule(title: string, width: number): string {
  const text = title === '' ? '' : `── ${cutToWidth(clean(title), Math.max(0, width - 6))} `;
  return cutToWidth(text + '─'.repeat(Math.max(0, width - displayWidth(text))), width);
}

/** The titles; at the right, which part of a longer list is shown. */
function titleLine({ rows, top, layout }: WatchPicture, widths: Widths, width: number): string {
  const line = cutToWidth(titles(widths), width);
  if (rows.length <= layout.list) return line;
  const part = `${top + 1}–${Math.min(top + layout.list, rows.length)} of ${rows.length}`;
  const cut = cutToWidth(line, Math.max(0, width - displayWidth(part) - GAP.length));
  return cutToWidth(cut + ' '.repeat(Math.max(0, width - displayWidth(cut) - displayWidth(part))) + part, width);
}

function titles({ state, name, age, doing, last }: Widths): string {
  return [
    `  ${fit('STATE', state)}`,
    fit('NAME', name),
    ...(age > 0 ? ['SINCE'] : []),
    ...(doing > 0 ? [fit('DOING', doing)] : []),
    ...(last > 0 ? ['LAST LINE'] : []),
  ]
    .join(GAP)
    .trimEnd();
}

function rowLine(row: Row, picture: WatchPicture, widths: Widths, width: number, look: TextStyler): string {
  const group = groupOf(row);
  const isChosen = row.id === picture.selected;
  const state = fit(`${group === 'blocked' ? '! ' : '  '}${stateOf(row, width)}`, widths.state + 2);
  const rest = [
    fit(clean(row.name), widths.name),
    ...(widths.age > 0 ? [shortDuration(picture.now - sinceOf(row)).padStart(widths.age)] : []),
  ].join(GAP);
  const said = clean(picture.lastLines.get(row.id) ?? '');
  // If there is room for one text only: the activity, or else the last line.
  const told = clean(doingOf(row)) || (widths.last === 0 ? said : '');
  // A question is often the last line too: once is enough, and it gets the room of both.
  const hasLast = widths.last > 0 && said !== '' && said !== told;
  const room = widths.doing + (hasLast || widths.last === 0 ? 0 : GAP.length + widths.last);
  const doing = widths.doing > 0 ? GAP + (hasLast ? fit(told, room) : cutToWidth(told, room)) : '';
  const last = hasLast ? GAP + cutToWidth(said, widths.last) : '';
  const plain = cutToWidth(`${state}${GAP}${rest}${doing}${last}`, width);
  if (isChosen) return look('chosen', plain + ' '.repeat(Math.max(0, width - displayWidth(plain))));
  if (displayWidth(`${state}${GAP}${rest}${doing}${last}`) > width) return look(group, plain); // too narrow for finery
  if (group === 'ended') {
    const isBad = row.state === 'failed' || row.state === 'lost';
    return look(isBad ? 'failed' : 'ended', state) + look('ended', GAP + rest + doing + last);
  }
  return look(group, state) + GAP + (group === 'blocked' ? look('title', rest) : rest) + doing + look('faint', last);
}

function emptyWords({ filter, showsEnded, counts }: WatchPicture): string {
  if (filter !== '') return `No session contains ${JSON.stringify(clean(filter))}; press escape to show all.`;
  const ended = counts.get('ended') ?? 0;
  if (ended > 0 && !showsEnded) return `No session is running; ${ended} ended (press a to show).`;
  return 'There are no sessions; press n to start one.';
}
