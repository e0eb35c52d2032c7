/**
 * A request in two lines, for lists, notifications and the status: the tool and its input. It gives the exact amount that it leaves
 * out; `render/request` shows all of it. The agent's own title is not used. Keeps REQ-1, REQ-40 and REQ-41 for short texts.
 */
import type { Question as StatusQuestion } from '../question.ts';
import { say, visible, visibleTitle, type VisibleText } from '../visible-text.ts';
import type { Diff, PermissionOption, AgentQuestion } from './events.ts';

const NAME_CHARACTERS_MAX = 200;
const LABEL_CHARACTERS_MAX = 300;
const SUBJECT_CHARACTERS_MAX = 1000;
const OPTIONS_MAX = 20;

/** The members that are shown first, without their name. The other members follow with their names. */
const MAIN_MEMBERS = ['command', 'file_path', 'filePath', 'path', 'url'] as const;
/** The members that are shown last: in them an agent describes its request in its own words. */
const DESCRIBING_MEMBERS = ['description', 'title', 'reason', 'justification', 'explanation'];

export interface RequestParts {
  readonly name?: string | undefined;
  readonly input?: unknown;
  readonly call?: unknown;
  readonly diffs?: readonly Diff[] | undefined;
}

/** Returns the question of a permission, as the status of a session shows it. */
export function permissionQuestion(
  request: RequestParts & { readonly options: readonly PermissionOption[] },
): StatusQuestion {
  const subject = requestSubject(request);
  return {
    text: requestTitle(request.name),
    ...(subject !== '' && { subject }),
    options: request.options
      .slice(0, OPTIONS_MAX)
      .map(({ label }) => ({ key: null, label: visibleTitle(label, LABEL_CHARACTERS_MAX) })),
  };
}

/** Returns the first of an agent's questions, as the status of a session shows it. */
export function askedQuestion(questions: readonly AgentQuestion[]): StatusQuestion {
  const [first] = questions;
  const more = questions.length - 1;
  const text = visibleTitle(first?.text ?? 'a question', SUBJECT_CHARACTERS_MAX);
  return {
    text: more > 0 ? say`${text} (+${more} more)` : text,
    options: (first?.options ?? [])
      .slice(0, OPTIONS_MAX)
      .map(({ label }) => ({ key: null, label: visibleTitle(label, LABEL_CHARACTERS_MAX) })),
  };
}

export function requestTitle(name: string | undefined): VisibleText {
  return say`Allow ${visibleTitle(name ?? 'this', NAME_CHARACTERS_MAX)}?`;
}

/** Returns the whole input in one line, or its beginning and the exact number of characters that follow. */
export function requestSubject(request: RequestParts, charactersMax = SUBJECT_CHARACTERS_MAX): VisibleText {
  const { input, call, diffs = [] } = request;
  const changes = diffs.map(
    ({ path, change, movedTo }) => `${change} ${path}${movedTo === undefined ? '' : ` → ${movedTo}`}`,
  );
  const parts = [...membersOf(input), ...membersOf(call), ...changes];
  return visibleTitle(parts.join(' · '), charactersMax);
}

function membersOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [toText(value)];
  const entries = Object.entries(value);
  const main = MAIN_MEMBERS.flatMap((key) => entries.filter(([name]) => name === key).slice(0, 1)).slice(0, 1);
  const others = entries.filter((entry) => !main.includes(entry));
  const isDescribing = ([name]: readonly [string, unknown]): boolean => DESCRIBING_MEMBERS.includes(name);
  const rest = [...others.filter((entry) => !isDescribing(entry)), ...others.filter(isDescribing)];
  return [...main.map(([, each]) => toText(each)), ...rest.map(([name, each]) => `${visible(name)}: ${toText(each)}`)];
}

/** Returns a value as text; a list of words stays recognizable as separate words. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
