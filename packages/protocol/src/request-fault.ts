/**
 * Describes the fault of a request in a sentence that names the field and the valid values [SAY-6]. The validator's own words are
 * for programmers and change with its versions, so they are never shown.
 */

/** The part of a zod issue that is used here. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
  readonly issues?: readonly Issue[];
}

export interface RequestFault {
  /** The field: `size.cols`, `command[0]`; '' for the request as a whole. */
  readonly field: string;
  /** The sentence: `size.cols must be a whole number`. */
  readonly sentence: string;
}

export function requestFault(issues: readonly Issue[]): RequestFault {
  const issue = issues[0] ?? { path: [], message: '' };
  const keys = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [];
  const field = fieldOf([...issue.path, ...keys.slice(0, 1)]);
  const subject = field === '' ? 'the request' : field;
  return { field, sentence: `${subject} ${keys.length > 0 ? 'is not a known field' : predicate(issue)}` };
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${showKey(String(part))}`))
    .join('');
}

const KEY_CHARACTERS_MAX = 60;

/** Returns a key as text; a key of a map can be any text. */
function showKey(key: string): string {
  if (/^[\w-]+$/.test(key) && key.length <= KEY_CHARACTERS_MAX) return key;
  return JSON.stringify(key.length > KEY_CHARACTERS_MAX ? `${key.slice(0, KEY_CHARACTERS_MAX)}…` : key);
}

/** Returns `must be text`, `is missing; it must be text`, or the sentence that the schema itself gives. */
function predicate(issue: Issue): string {
  if (issue.message.startsWith('must ')) return issue.message;
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return isMissing ? `is missing; it ${demand(issue)}` : demand(issue);
}

function demand(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected ?? ''] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${listed((issue.values ?? []).map(String))}`;
    case 'too_small':
      return `must ${amount('at least', issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${amount('at most', issue.maximum, issue.origin)}`;
    case 'invalid_union':
      return union(issue.errors ?? []);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues?.[0] ? predicate(issue.issues[0]) : 'has an invalid form';
    default:
      return 'has an invalid form';
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

function amount(bound: string, limit: number | bigint | undefined, origin: string | undefined): string {
  if (origin === 'string') return `have ${bound} ${limit} character${Number(limit) === 1 ? '' : 's'}`;
  if (origin === 'array') return `have ${bound} ${limit} item${Number(limit) === 1 ? '' : 's'}`;
  return `be ${bound} ${limit}`;
}

/** Returns the fault of the best matching branch: a branch that fails inside the value is preferred to those of another type. */
function union(branches: readonly (readonly Issue[])[]): string {
  const inner = branches.flatMap(([first]) => (first && first.path.length > 0 ? [first] : []))[0];
  if (inner) return `has a wrong field: ${requestFault([inner]).sentence}`;
  const demands = branches.flatMap(([first]) => (first ? [demand(first).replace(/^must be /, '')] : []));
  return `must be ${listed(demands)}`;
}

/** Joins words: `a, b or c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? 'something else') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
