/**
 * The keys that answer a permission or a question. An option is chosen by its id, as the agent offered it. An option of an unknown
 * kind never allows anything, and a request that was too large to be kept can only be denied. Keeps SHOW-5, REQ-5.
 */
import type { PermissionOption } from '@spool/protocol/agent';
import { type AgentRequestEvent, isExplained, say, visibleTitle, type VisibleText } from '@spool/render';

export type RequestAnswer =
  | { readonly type: 'option'; readonly option: string; readonly behavior: 'allow' | 'deny' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' }
  | { readonly type: 'choice'; readonly label: string }
  /** Whether the next typed text is the message, the new input or the answer. */
  | { readonly type: 'write'; readonly what: 'message' | 'input' | 'answer' };

export interface AskChoice {
  readonly key: string;
  /** The label, short enough for the line of keys. */
  readonly label: VisibleText;
  /** The label as the agent wrote it. */
  readonly whole: string;
  readonly answer: RequestAnswer;
  /** Whether the option allows more than the request: then its lines are part of what the answer allows. */
  readonly isExplained: boolean;
}

type Permission = Extract<AgentRequestEvent, { readonly kind: 'permission.requested' }>;

const LABEL_CHARACTERS_MAX = 60;
/** The keys for the options after the one `y` and the first `a`. */
const FURTHER_KEYS = ['2', '3', '4', '5', '6', '7', '8', '9'];

export function makeChoices(ask: AgentRequestEvent): readonly AskChoice[] {
  return ask.kind === 'question.asked' ? answersTo(ask) : [...allowing(ask), ...denying(ask), ...editing(ask)];
}

/** Whether an answer lets the agent do something, or speaks in the user's name. */
export function isAllowing(answer: RequestAnswer): boolean {
  if (answer.type === 'option') return answer.behavior === 'allow';
  return answer.type === 'allow' || answer.type === 'choice' || (answer.type === 'write' && answer.what === 'input');
}

/** Returns the one text of an input that can be edited: a command. */
export function editableOf(ask: AgentRequestEvent): { readonly key: string; readonly text: string } | null {
  if (ask.kind !== 'permission.requested' || typeof ask.input !== 'object' || ask.input === null) return null;
  const { command } = ask.input as Record<string, unknown>;
  return typeof command === 'string' ? { key: 'command', text: command } : null;
}

function answersTo(ask: Extract<AgentRequestEvent, { readonly kind: 'question.asked' }>): AskChoice[] {
  if (ask.isCut === true) return [];
  const [question] = ask.questions;
  const options = (question?.options ?? [])
    .slice(0, 9)
    .map(({ label }, at) => choice(String(at + 1), label, { type: 'choice', label }));
  return [...options, choice('w', 'write an answer', { type: 'write', what: 'answer' })];
}

function allowing({ options, isCut }: Permission): AskChoice[] {
  if (isCut === true) return [];
  if (options.length === 0) return [choice('y', 'allow once', { type: 'allow' })];
  const once = options.filter(({ kind }) => kind === 'allow_once');
  const always = options.filter(({ kind }) => kind === 'allow_always');
  // Two ways to allow once differ in something, so each is chosen by its own words.
  const plain = once.length === 1 ? once[0] : undefined;
  const further = [...(plain ? [] : once), ...always.slice(1)];
  return [
    ...(plain ? [choice('y', 'allow once', option(plain.id, 'allow'), isExplained(plain))] : []),
    ...always.slice(0, 1).map((each) => offered('a', each)),
    ...further.slice(0, FURTHER_KEYS.length).map((each, at) => offered(FURTHER_KEYS[at]!, each)),
  ];
}

function denying({ options }: Permission): AskChoice[] {
  const no = options.find(({ kind }) => kind === 'reject_once');
  return [
    choice('n', 'deny', no ? option(no.id, 'deny') : { type: 'deny' }),
    choice('m', 'deny with a message', { type: 'write', what: 'message' }),
  ];
}

function editing(ask: Permission): AskChoice[] {
  if (ask.isCut === true || editableOf(ask) === null) return [];
  return [choice('e', 'edit, then allow', { type: 'write', what: 'input' })];
}

const choice = (key: string, whole: string, answer: RequestAnswer, isMore = false): AskChoice => ({
  key,
  label: whole.trim() === '' ? say`(no label)` : visibleTitle(whole, LABEL_CHARACTERS_MAX),
  whole,
  answer,
  isExplained: isMore,
});

/** Creates a choice from an option in the agent's words, whose whole text counts. */
const offered = (key: string, { id, label }: PermissionOption): AskChoice =>
  choice(key, label, option(id, 'allow'), true);

const option = (id: string, behavior: 'allow' | 'deny'): RequestAnswer => ({ type: 'option', option: id, behavior });
