/**
 * Finds the text in the input line of a program: typed text, or text that the program has put back there (Claude does,
 * after Esc). New input would be appended to it. Keeps the part of IN-8 about finding text in the input line.
 *
 * Texts that programs show in an empty line (placeholders, suggestions) do not count: they are dim, or listed in the rules. If no
 * rule matches the line, the text is unknown.
 */
import type { Region, RuleSet } from '../rules.ts';
import { type InputBox, inputBox } from './input-box.ts';
import { LINE_CHARACTERS_MAX, textBeforeCursor, withoutFrame } from './screen-lines.ts';

/** The place of an agent's input. */
export interface InputRule {
  readonly region: Region;
  /** The pattern of its first line; the first group is the text. */
  readonly pattern: RegExp;
  /** The patterns of the line directly above, and of the first line after it; null for a blank line. */
  readonly after: RegExp | null;
  readonly until: RegExp | null;
  /** Patterns of its content when it is empty. */
  readonly placeholders: readonly RegExp[];
  /** The pattern of a line which shows that the text after the cursor is only a suggestion; null if there is no such line. */
  readonly suggested: RegExp | null;
}

/** A screen on which typed text and suggestions are distinguished. */
export interface InputView {
  /** Visible rows, top to bottom, trailing blanks cut. */
  readonly lines: readonly string[];
  /** The rows with blanks instead of dim text. */
  readonly solid: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/** An input line on the screen. */
export interface InputLine {
  /** The text; '' if there is none. */
  readonly text: string;
  readonly box: InputBox;
}

/** Returns the input line; null if it is unknown. */
export function agentInput(rules: readonly RuleSet[], agent: string, view: InputView): InputLine | null {
  for (const set of rules) {
    if (set.agent !== agent) continue;
    for (const rule of set.input) {
      const line = inputBy(rule, view);
      if (line !== null) return line;
    }
  }
  return null;
}

/** Returns whether the rules of this agent know the place of its input line. */
export function knowsInputLine(rules: readonly RuleSet[], agent: string): boolean {
  return rules.some((set) => set.agent === agent && set.input.length > 0);
}

/** Returns the names of the keys that clear it. */
export function clearingKeys(rules: readonly RuleSet[], agent: string): readonly string[] {
  return rules.find((set) => set.agent === agent && set.clear.length > 0)?.clear ?? [];
}

function inputBy(rule: InputRule, view: InputView): InputLine | null {
  const box = inputBox(rule, view);
  const found = box === null ? null : rule.pattern.exec(cut(view.lines[box.first]!));
  if (box === null || found === null) return null;
  const solid = withoutSuggestion(rule, view);
  const from = found.index + found[0].length - (found[1]?.length ?? 0);
  const rows = [cut(solid[box.first]!).slice(from), ...solid.slice(box.first + 1, box.last + 1).map(cut)];
  const text = rows.map(withoutFrame).join('\n').trim();
  return { text: rule.placeholders.some((pattern) => pattern.test(text)) ? '' : text, box };
}

function withoutSuggestion({ suggested }: InputRule, { lines, solid, cursor }: InputView): readonly string[] {
  if (suggested === null || !lines.some((line) => suggested.test(cut(line)))) return solid;
  return solid.map((line, row) => (row === cursor.row ? textBeforeCursor({ lines: solid, cursor }) : line));
}

const cut = (line: string): string => line.slice(0, LINE_CHARACTERS_MAX);
