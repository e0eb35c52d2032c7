/** Draws `spool watch` as lines that fit the terminal. Control characters in untrusted text are escaped. */
import type { Size } from '@spool/protocol';
import { cutToWidth, displayWidth, printable } from '../output/printable.ts';
import { formatAge } from '../command-line/quantities.ts';
import { statusWords } from '../output/session-words.ts';
import { type Group, groupOf, GROUPS } from '../output/session-order.ts';
import { doingOf, type Row, sinceOf } from './list.ts';

export type Footer =
  | { readonly type: 'keys' }
  | { readonly type: 'message'; readonly text: string; readonly isTrouble: boolean }
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'input'; readonly label: string; readonly text: string };

export interface WatchPicture {
  readonly rows: readonly Row[];
  readonly counts: ReadonlyMap<Group, number>;
  readonly selected: string | null;
  /** The index of the first row that is shown. */
  readonly top: number;
  readonly lastLines: ReadonlyMap<string, string>;
  readonly filter: string;
  readonly showsEnded: boolean;
  readonly showsHelp: boolean;
  readonly footer: Footer;
  readonly now: number;
}

interface Widths {
  readonly state: number;
  readonly name: number;
  /** 0 hides the column; also for the next two. */
  readonly age: number;
  readonly doing: number;
  readonly last: number;
}

const GAP = '  ';
const STATE_WIDTH_MIN = 9;
const STATE_WIDTH_MAX = 22;
const NAME_WIDTH_MIN = 6;
const AGE_WIDTH = 5;
/** A narrower column is useless. */
const TEXT_WIDTH_MIN = 12;
/** Caps untrusted text, because zero-width characters do not count towards its width. */
const CHARACTERS_MAX = 1000;

const HELP = [
  'up, down, j, k    select a session; g and G select the first and the last',
  'enter             attach; Ctrl-\\ returns to this list',
  'p                 send a prompt and check that the session reacts',
  's                 stop the session (asks first)',
  '/                 filter by text; escape shows all sessions again',
  'a                 show or hide ended sessions',
  'Ctrl-Z            suspend, back to the shell',
  'q, Ctrl-C         quit; the sessions keep running',
] as const;

const LOOKS = {
  title: '1',
  faint: '2',
  chosen: '7',
  blocked: '1;33',
  working: '32',
  idle: '',
  starting: '36',
  ended: '2',
  failed: '31',
  trouble: '1;31',
} as const;
/** Without colours. */
const PLAIN_LOOKS: Readonly<Record<keyof typeof LOOKS, string>> = {
  ...LOOKS,
  blocked: '1',
  working: '',
  starting: '',
  failed: '2',
  trouble: '1',
};

/** How many rows of the list fit. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - headRows(rows) - (rows >= 3 ? 1 : 0));
}

export function pictureOf(picture: WatchPicture, size: Size, isColoured: boolean): string[] {
  const looks = isColoured ? LOOKS : PLAIN_LOOKS;
  const width = Math.max(1, size.cols - 1); // a full line would leave the cursor between two
  const head = headRows(size.rows);
  const shown = picture.rows.slice(picture.top, picture.top + bodyRows(size));
  const widths = widthsOf(picture.rows, width);
  const lines: string[] = [];
  if (head > 0) lines.push(header(picture, width, look));
  if (head > 1) lines.push(picture.showsHelp ? '' : look('faint', cutToWidth(titles(widths), width)));
  if (picture.showsHelp) lines.push(...HELP.map((line) => cutToWidth(`  ${line}`, width)));
  else if (shown.length === 0) lines.push(look('faint', cutToWidth(`  ${emptyWords(picture)}`, width)));
  else lines.push(...shown.map((row) => rowLine(row, picture, widths, width, look)));
  const isFooted = size.rows >= 3;
  const body = lines.slice(0, size.rows - (isFooted ? 1 : 0));
  while (body.length < size.rows - (isFooted ? 1 : 0)) body.push('');
  return isFooted ? [...body, footerLine(picture, width, look)] : body;

  function look(name: keyof typeof LOOKS, text: string): string {
    return looks[name] === '' || text === '' ? text : `\x1b[${looks[name]}m${text}\x1b[m`;
  }
}

type Look = (name: keyof typeof LOOKS, text: string) => string;

function headRows(rows: number): number {
  return rows >= 6 ? 2 : rows >= 4 ? 1 : 0;
}

/** `2 blocked · 3 working · 1 idle`: all sessions, whatever the filter hides. */
function header({ counts, filter, showsEnded }: WatchPicture, width: number, look: Look): string {
  const parts = GROUPS.flatMap((group) => {
    const count = counts.get(group) ?? 0;
    if (count === 0) return [];
    const isHidden = group === 'ended' && !showsEnded;
    return [{ group, text: `${count} ${group}${isHidden ? ' (hidden)' : ''}` }];
  });
  const name = 'spool';
  const filtered = filter === '' ? '' : `${GAP}/${clean(filter)}`;
  const plain = ` ${name}${GAP}${parts.map(({ text }) => text).join(' · ')}${filtered}`;
  if (displayWidth(plain) > width) return look('title', cutToWidth(plain, width));
  return ` ${look('title', name)}${GAP}${parts.map(({ group, text }) => look(group, text)).join(' · ')}${look('title', filtered)}`;
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

function rowLine(row: Row, picture: WatchPicture, widths: Widths, width: number, look: Look): string {
  const group = groupOf(row);
  const isChosen = row.id === picture.selected;
  const state = fit(`${group === 'blocked' ? '! ' : '  '}${clean(statusWords(row))}`, widths.state + 2);
  const rest = [
    fit(clean(row.name), widths.name),
    ...(widths.age > 0 ? [formatAge(picture.now - sinceOf(row)).padStart(widths.age)] : []),
  ].join(GAP);
  const doing = widths.doing > 0 ? GAP + fit(clean(doingOf(row)), widths.doing) : '';
  const last = widths.last > 0 ? GAP + cutToWidth(clean(picture.lastLines.get(row.id) ?? ''), widths.last) : '';
  const plain = cutToWidth(`${state}${GAP}${rest}${doing}${last}`, width);
  if (isChosen) return look('chosen', plain + ' '.repeat(Math.max(0, width - displayWidth(plain))));
  if (displayWidth(`${state}${GAP}${rest}${doing}${last}`) > width) return look(group, plain); // too narrow for finery
  if (group === 'ended') {
    const isBad = row.state === 'failed' || row.state === 'lost';
    return look(isBad ? 'failed' : 'ended', state) + look('ended', GAP + rest + doing + last);
  }
  return look(group, state) + GAP + (group === 'blocked' ? look('title', rest) : rest) + doing + look('faint', last);
}

function footerLine({ footer, filter, showsEnded, showsHelp }: WatchPicture, width: number, look: Look): string {
  switch (footer.type) {
    case 'keys': {
      if (showsHelp) return look('faint', cutToWidth(' press any key to return to the list', width));
      const all = showsEnded ? 'a hide ended' : 'a show ended';
      const others = ['p prompt', 's stop', filter === '' ? '/ filter' : 'esc show all', all];
      const keys = ['enter attach', '? help', 'q quit', ...others];
      return look('faint', cutToWidth(` ${keys.join(' · ')}`, width));
    }
    case 'message':
      return look(footer.isTrouble ? 'trouble' : 'title', cutToWidth(` ${clean(footer.text)}`, width));
    case 'question':
      return look('title', cutToWidth(` ${clean(footer.text)}`, width));
    case 'input': {
      const label = cutToWidth(` ${clean(footer.label)} `, Math.ceil(width / 2));
      return look('title', label) + endToWidth(footer.text, width - displayWidth(label) - 1) + look('chosen', ' ');
    }
  }
}

function emptyWords({ filter, showsEnded, counts }: WatchPicture): string {
  if (filter !== '') return `No session contains ${JSON.stringify(clean(filter))}; press escape to show all.`;
  const ended = counts.get('ended') ?? 0;
  if (ended > 0 && !showsEnded) return `No session is running; ${ended} ended (press a to show).`;
  return 'There are no sessions. Start one with: spool run -- COMMAND';
}

/**
 * The state, the name and the age first; what is left is for what it does and what it said, where there is room for both.
 * They depend on little that changes from second to second, else the columns would dance.
 */
function widthsOf(rows: readonly Row[], width: number): Widths {
  const most = (text: (row: Row) => string): number =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(clean(text(row)))), 0);
  const state = between(
    most((row) => statusWords(row)),
    STATE_WIDTH_MIN,
    STATE_WIDTH_MAX,
  );
  const name = between(
    most((row) => row.name),
    NAME_WIDTH_MIN,
    Math.max(NAME_WIDTH_MIN, Math.floor(width / 4)),
  );
  const used = 2 + state + GAP.length + name;
  const age = width >= used + GAP.length + AGE_WIDTH ? AGE_WIDTH : 0;
  const left = width - used - (age > 0 ? GAP.length + age : 0) - GAP.length;
  if (age === 0 || left < TEXT_WIDTH_MIN) return { state, name, age, doing: 0, last: 0 };
  const hasDoing = rows.some((row) => doingOf(row) !== '');
  if (!hasDoing) return { state, name, age, doing: 0, last: left };
  const doing = Math.floor((left - GAP.length) * 0.45);
  if (doing < TEXT_WIDTH_MIN) return { state, name, age, doing: left, last: 0 };
  return { state, name, age, doing, last: left - GAP.length - doing };
}

const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

const clean = (text: string): string => printable(text.slice(0, CHARACTERS_MAX));

/** Pads or truncates to an exact width. */
function fit(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** The end of the text that the user is typing. */
function endToWidth(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const character of [...printable(text.slice(-CHARACTERS_MAX))].reverse()) {
    used += displayWidth(character);
    if (used > width) break;
    kept = character + kept;
  }
  return kept;
}
