/**
 * Finds the text in the input line of a program: typed text, or text that the program has put back there (Claude does,
 * after Esc). New input would be appended to it. Helps to keep IN-8.
 *
 * What programs show in an empty line (placeholders, suggestions) does not count: it is dim, or named by the rules.
 * Where no rule matches the line, the text is unknown.
 */
import type { Region, RuleSet } from '../rules.ts';
import { inputBox } from './input-box.ts';
import { LINE_CHARACTERS_MAX, textBeforeCursor, withoutFrame } from './screen-lines.ts';

/** Where the input of an agent is. */
export interface InputRule {
  readonly region: Region;
  /** Its first line; the first group is the text. */
  readonly pattern: RegExp;
  /** What the line directly above shows, and the first line that is no longer part of it; null: a blank one. */
  readonly after: RegExp | null;
  readonly until: RegExp | null;
  /** What it shows when it is empty. */
  readonly placeholders: readonly RegExp[];
  /** Where a line of the screen shows this, the text after the cursor is only a suggestion; null: no line does. */
  readonly suggested: RegExp | null;
}

/** A screen, with typed text and suggestions kept apart. */
export interface InputView {
  /** Visible rows, top to bottom, trailing blanks cut. */
  readonly lines: readonly string[];
  /** The same with blanks instead of dim text. */
  readonly solid: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/** The text; '' where there is none. Null: unknown. */
export function agentInput(rules: readonly RuleSet[], agent: string, view: InputView): string | null {
  for (const set of rules) {
    if (set.agent !== agent) continue;
    for (const rule of set.input) {
      const text = inputBy(rule, view);
      if (text !== null) return text;
    }
  }
  return null;
}

/** The keys that clear it, by name. */
export function clearingKeys(rules: readonly RuleSet[], agent: string): readonly string[] {
  return rules.find((set) => set.agent === agent && set.clear.length > 0)?.clear ?? [];
}

function inputBy(rule: InputRule, view: InputView): string | null {
  const box = inputBox(rule, view);
  const found = box === null ? null : rule.pattern.exec(cut(view.lines[box.first]!));
  if (box === null || found === null) return null;
  const solid = withoutSuggestion(rule, view);
  const from = found.index + found[0].length - (found[1]?.length ?? 0);
  const rows = [cut(solid[box.first]!).slice(from), ...solid.slice(box.first + 1, box.last + 1).map(cut)];
  const text = rows.map(withoutFrame).join('\n').trim();
  return rule.placeholders.some((pattern) => pattern.test(text)) ? '' : text;
}

function withoutSuggestion({ suggested }: InputRule, { lines, solid, cursor }: InputView): readonly string[] {
  if (suggested === null || !lines.some((line) => suggested.test(cut(line)))) return solid;
  return solid.map((line, row) => (row === cursor.row ? textBeforeCursor({ lines: solid, cursor }) : line));
}

const cut = (line: string): string => line.slice(0, LINE_CHARACTERS_MAX);
