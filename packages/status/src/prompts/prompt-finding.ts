/**
 * Decides by the screen whether an agent has accepted a prompt. Keeps IN-48.
 *
 * Output alone does not prove it: agents print while they start, and repaint at any time. A prompt was accepted when its input
 * line is empty again, and the conversation shows the prompt. If an agent shows long prompts in another form (`[Pasted text #1 +9
 * lines]`), it is enough that the agent shows work that began after Enter. Texts are compared without blanks: an agent wraps them
 * wherever its window ends.
 */
import type { Prompted, StatusSource, StatusState } from '@spool/protocol';
import type { SeenInput } from '../reducer.ts';

/** The length of the beginning and of the end of a prompt that are searched for. */
const NEEDLE_CHARACTERS = 20;
/** The sources that count: the agent's own report, or a sign that its rules know. */
const SAYING: ReadonlySet<string> = new Set(['program', 'screen', 'title']);
/** The kinds of dialogs that only work can cause; others also appear at a start. */
const OF_WORK: ReadonlySet<string> = new Set(['permission', 'question']);
/** The length above which a text, like one with several lines, may be shown in another form. */
const LONG_CHARACTERS = 300;
const LONG_LINES = 3;
/** The commands of the agent itself: they do not appear in the conversation, and need no work. */
const COMMAND = /^[/!#?]/;

/** A screen, and its meaning. */
export interface PromptScreen {
  readonly state: StatusState;
  readonly kind: string | null;
  readonly source: StatusSource;
  /** The question; null if there is none. */
  readonly asks: string | null;
  readonly input: Pick<SeenInput, 'text' | 'rows'> | null;
  readonly lines: readonly string[];
  readonly cursorRow: number;
}

/** The facts at the time when Enter was pressed. */
export interface Submission {
  readonly text: string;
  /** The content of the input line, without blanks; '' if the line was not visible. */
  readonly held: string;
  readonly mentions: number;
  readonly wasWorking: boolean;
  /** The number of rows from the top of the input box to the cursor. */
  readonly cursorDepth: number | null;
}

export interface PromptFinding {
  /** The reaction; null if this screen does not show that the prompt was accepted. */
  readonly reaction: Exclude<Prompted['reaction'], 'exited'>;
  /** Uses the known facts instead. */
  readonly reason: string;
  /** Returns whether the input line has the same text, with the cursor in a new row: the agent treated Enter as a new line. */
  readonly isNewLine: boolean;
}

export function submissionOf(text: string, look: PromptScreen): Submission {
  return {
    text,
    held: squeezed(look.input?.text ?? ''),
    mentions: mentionsOf(text, look),
    wasWorking: isWorking(look),
    cursorDepth: cursorDepth(look),
  };
}

export function findingOf(before: Submission, look: PromptScreen): PromptFinding {
  const { input, asks, kind } = look;
  const isMentioned = mentionsOf(before.text, look) > before.mentions;
  const hasBegun = isWorking(look) && !before.wasWorking;
  if (asks !== null) {
    const isOfWork = OF_WORK.has(kind ?? '') && !before.wasWorking;
    return isOfWork || (input !== null && isMentioned) ? taken('blocked') : open(`it asks: ${asks}`);
  }
  if (input === null)
    return hasBegun && look.source === 'program' ? taken('working') : open('its input line is not to be seen');
  const line = squeezed(input.text);
  if (line !== '') return inLine(before, line, look);
  if (isMentioned) return taken(hasBegun ? 'working' : 'screen');
  // A starting agent also shows work, which is enough only if the text need not appear, or appeared before.
  if (hasBegun && (before.mentions > 0 || isLong(before.text))) return taken('working');
  if (before.held !== '' && COMMAND.test(before.text)) return taken('screen');
  return open('its input line is empty, but neither the conversation nor a sign of work shows the prompt');
}

function inLine(before: Submission, line: string, look: PromptScreen): PromptFinding {
  if (line !== before.held && !isHeldBy(line, before.text)) return open('its input line holds another text');
  const depth = cursorDepth(look);
  const isDeeper = depth !== null && before.cursorDepth !== null && depth > before.cursorDepth;
  return { reaction: null, reason: 'the text is still in its input line', isNewLine: line === before.held && isDeeper };
}

/** Returns whether an input line, without blanks, shows the end of a text, or its beginning if the line is cut off. */
export function isHeldBy(line: string, text: string): boolean {
  return line.includes(endOf(text));
}

/** Returns the text without blanks, and without the invisible sign that some agents draw as their cursor. */
export function squeezed(text: string): string {
  return text.replaceAll(/[\s\u200b]+/g, '');
}

function endOf(text: string): string {
  return squeezed(text.trimEnd().split('\n').at(-1) ?? '').slice(-NEEDLE_CHARACTERS);
}

function beginningOf(text: string): string {
  return squeezed(text.trimStart().split('\n', 1)[0] ?? '').slice(0, NEEDLE_CHARACTERS);
}

/** Counts the mentions of the beginning and the end of a text on the screen, outside of the input line. */
function mentionsOf(text: string, { input, lines }: PromptScreen): number {
  const rows = input?.rows ?? null;
  const others = rows === null ? lines : lines.filter((_, row) => row < rows.top || row > rows.bottom);
  const all = others.map((line) => squeezed(line.replaceAll(/[│┃█▌▎]/g, ''))).join('');
  return Math.max(occurrences(all, beginningOf(text)), occurrences(all, endOf(text)));
}

function isLong(text: string): boolean {
  return text.length >= LONG_CHARACTERS || text.split('\n').length >= LONG_LINES;
}

function occurrences(all: string, part: string): number {
  return part === '' ? 0 : all.split(part).length - 1;
}

function isWorking({ state, source }: PromptScreen): boolean {
  return state === 'working' && SAYING.has(source);
}

function cursorDepth({ input, cursorRow }: PromptScreen): number | null {
  const rows = input?.rows ?? null;
  return rows === null || cursorRow < rows.top || cursorRow > rows.bottom ? null : cursorRow - rows.top;
}

const taken = (reaction: PromptFinding['reaction']): PromptFinding => ({ reaction, reason: '', isNewLine: false });
const open = (reason: string): PromptFinding => ({ reaction: null, reason, isNewLine: false });
