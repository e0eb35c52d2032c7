/** The last line of `spool watch` (keys, messages, typed text), and its help. */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import { joinVisible, type Line, span } from '@spool/render/lines';
import { cutToWidth, displayWidth } from '../output/printable.ts';
import type { TextInput } from '../tui/text-input.ts';
import { LOOKS } from './looks.ts';
import { clean } from './text.ts';

export type Footer =
  /** `isAsking`: the selected session waits for an answer. */
  | { readonly type: 'keys'; readonly isAsking: boolean }
  | { readonly type: 'message'; readonly text: string; readonly isTrouble: boolean }
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'input'; readonly label: string; readonly input: TextInput };

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

/** Returns as many lines as fit: the first ones, which are the most important. */
export function helpLines(rows: number, width: number): Line[] {
  return HELP.slice(0, rows).map(([keys, what]) => [
    span(cutToWidth(visible(`  ${keys.padEnd(HELP_KEYS_WIDTH)}${what}`), width)),
  ]);
}

export function footerLine({ footer, filter, showsEnded, showsHelp }: FooterFacts, width: number): Line {
  switch (footer.type) {
    case 'keys': {
      if (showsHelp) return [span(cutToWidth(say` press any key to return to the list`, width), LOOKS.faint)];
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
      return [span(fitting(keys.map(visible), width), LOOKS.faint)];
    }
    case 'message':
      return [span(cutToWidth(say` ${clean(footer.text)}`, width), footer.isTrouble ? LOOKS.trouble : LOOKS.title)];
    case 'question':
      return [span(cutToWidth(say` ${clean(footer.text)}`, width), LOOKS.title)];
    case 'input': {
      const label = cutToWidth(say` ${clean(footer.label)} `, Math.ceil(width / 2));
      const { before, under, after } = footer.input.shownInLine(width - displayWidth(label));
      return [span(label, LOOKS.title), span(before), span(under, LOOKS.chosen), span(after)];
    }
  }
}

/** Returns the keys that fit as a whole. */
function fitting(keys: readonly VisibleText[], width: number): VisibleText {
  let count = keys.length;
  const shown = (): VisibleText => say` ${joinVisible(keys.slice(0, count), ' · ')}`;
  while (count > 1 && displayWidth(shown()) > width) count--;
  return cutToWidth(shown(), width);
}
