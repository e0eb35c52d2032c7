/**
 * Reads the questions of an agent, and the rest: the members of its input that no question shows. The rest is shown beside the
 * questions, so that nothing is answered unseen. Keeps REQ-1 for questions.
 */
import type { AgentQuestion } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, objectOf, present, textOf } from './json-value.ts';

/** The members of a question that only some agents have. */
export interface QuestionShape {
  /** The member that allows several answers. */
  readonly multi?: string;
  /** The member that allows an answer in the user's own words. Without such a member, every question allows one. */
  readonly other?: string;
  /** The id by which an answer names the question (default: its text). */
  readonly id?: 'member' | 'place';
}

export interface QuestionInput {
  readonly questions: readonly AgentQuestion[];
  /** The rest of the input; undefined if the questions show everything. */
  readonly rest: unknown;
}

/** Reads an input with its list `questions`. Members that are undefined or null do not count. */
export function readQuestions(input: JsonObject, shape: QuestionShape): QuestionInput {
  const { questions: given, ...others } = input;
  const rests = listOf(given).map((question) => restOfQuestion(question, shape));
  const isShown = (given === undefined || Array.isArray(given)) && rests.every((rest) => rest === undefined);
  const questions = isShown ? undefined : Array.isArray(given) ? rests.map((rest) => rest ?? null) : given;
  return {
    questions: listOf(given).map((question, at) => readQuestion(objectOf(question), at, shape)),
    rest: membersOf({ ...others, questions }),
  };
}

/** Returns the object without members that are undefined or null; undefined if nothing remains. */
export function membersOf(object: JsonObject): JsonObject | undefined {
  const members = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Returns the object without these members. */
export function besides(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function readQuestion(given: JsonObject, at: number, { multi, other, id }: QuestionShape): AgentQuestion {
  const text = textOf(given.question) ?? '';
  const options = listOf(given.options).map((option) => {
    const { label, description } = objectOf(option);
    return { id: textOf(label) ?? '', label: textOf(label) ?? '', ...present({ description: textOf(description) }) };
  });
  return {
    id: id === 'place' ? String(at) : id === 'member' ? (textOf(given.id) ?? '') : text,
    text,
    options,
    ...(multi === undefined ? {} : { multi: given[multi] === true }),
    freeText: other === undefined || given[other] === true || options.length === 0,
    ...present({ header: textOf(given.header) }),
  };
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

function restOfQuestion(question: unknown, { multi, other, id }: QuestionShape): unknown {
  if (!isObject(question)) return question ?? undefined;
  return restOf(question, {
    question: isText,
    header: isText,
    options: (value) => Array.isArray(value) && value.every((option) => restOfOption(option) === undefined),
    ...(multi !== undefined && { [multi]: isFlag }),
    ...(other !== undefined && { [other]: isFlag }),
    ...(id === 'member' && { id: isText }),
  });
}

function restOfOption(option: unknown): unknown {
  return isObject(option) ? restOf(option, { label: isText, description: isText }) : (option ?? null);
}

/** Returns the members that do not have the form that is shown. */
function restOf(
  object: JsonObject,
  shown: Readonly<Record<string, (value: unknown) => boolean>>,
): JsonObject | undefined {
  const others = Object.entries(object).filter(([key, value]) => !(Object.hasOwn(shown, key) && shown[key]!(value)));
  return membersOf(Object.fromEntries(others));
}
