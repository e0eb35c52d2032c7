/** The last line of `spool watch` (keys, messages, typed text), and its help. */
import { cutToWidth, displayWidth } from '../output/printable.ts';
import type { TextStyler } from './looks.ts';
import { clean, endToWidth } from './text.ts';

export type Footer =
  /** `isAsking`: the selected session waits for an answer. */
  | { readonly type: 'keys'; readonly isAsking: boolean }
  | { readonly type: 'message'; readonly text: string; readonly isTrouble: boolean }
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'input'; readonly label: string; readonly text: string };

export interface FooterFacts {
  readonly footer: Footer;
  readonly filter: string;
  readonly showsEnded: boolean;
  readonly showsHelp: boolean;
}

/** Short enough for 40 columns. */
const HELP = [
  ['↑ ↓ j k g G', 'select, or click'],
  ['enter', 'attach; Ctrl-\\ returns'],
  ['q Ctrl-C', 'quit; sessions run on'],
  ['space', 'answer its question'],
  ['p', 'send a prompt'],
  ['n', 'start a new session'],
  ['r', 'rename'],
  ['s', 'stop (asks first)'],
  ['x', 'remove (asks first)'],
  ['/', 'filter; esc shows all'],
  ['a', 'show or hide ended'],
  ['o', 'change the order'],
  ['v', 'show or hide preview'],
  ['← → ⇧↑ ⇧↓', 'move the preview'],
  ['Ctrl-Z', 'suspend'],
] as const;

const HELP_KEYS_WIDTH = 13;

/** Returns as many lines as fit: the first ones, which matter most. */
export function helpLines(rows: number, width: number): string[] {
  return HELP.slice(0, rows).map(([keys, what]) => cutToWidth(`  ${keys.padEnd(HELP_KEYS_WIDTH)}${what}`, width));
}

export function footerLine(
  { footer, filter, showsEnded, showsHelp }: FooterFacts,
  width: number,
  look: TextStyler,
): string {
  switch (footer.type) {
    case 'keys': {
      if (showsHelp) return look('faint', cutToWidth(' press any key to return to the list', width));
      const keys = [
        ...(footer.isAsking ? ['space answer'] : []),
        'enter attach',
        '? help',
        'q quit',
        ...(filter === '' ? [] : ['esc show all']),
        'p prompt',
        'n new',
        's stop',
        'x remove',
        ...(filter === '' ? ['/ filter'] : []),
        showsEnded ? 'a hide ended' : 'a show ended',
        'o order',
        'v preview',
      ];
      return look('faint', fitting(keys, width));
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

/** The keys that fit as a whole. */
function fitting(keys: readonly string[], width: number): string {
  let line = '';
  for (const key of keys) {
    const longer = line === '' ? ` ${key}` : `${line} · ${key}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return line === '' ? cutToWidth(` ${keys[0] ?? ''}`, width) : line;
}
