/** Reads untrusted JSON: every field may be missing, or of another type. Keeps DRV-40. */

export type JsonObject = { readonly [key: string]: unknown };

const EMPTY: JsonObject = {};

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : EMPTY;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** Returns the object without undefined members, for optional fields of events. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value;
  return kept as { [K in keyof T]: Exclude<T[K], undefined> };
}

/**
 * Parses a line. Whitespace around it and a carriage return are allowed. The result is undefined for anything except JSON, and for
 * JSON that would take many times its length in memory, or is nested so deep that walking through it would exhaust the stack.
 */
export function parseJson(text: string): unknown {
  if (text.length > SIMPLE_CHARACTERS && isTooComplex(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: the caller shows the line unchanged.
  }
}

/** The length below which a line is not examined. */
const SIMPLE_CHARACTERS = 2048;
/** Agents nest about twelve levels deep. */
const DEPTH_MAX = 200;
/** The maximum of objects and lists in one line: an empty one takes 60 bytes in memory and two in the line. */
const CONTAINERS_MAX = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isTooComplex(text: string): boolean {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === 0x7b || character === 0x5b) {
      depth++;
      containers++;
      if (depth > DEPTH_MAX || containers > CONTAINERS_MAX) return true;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return false;
}

/** Returns the end of the string that begins here. */
export function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote;
    from = quote + 1;
  }
}

/**
 * Returns a copy of plain JSON. Strings are shared, so the cost is the number of members. Objects have no prototype: an id of an
 * agent may be `__proto__`.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = copyOf((value as Record<string, unknown>)[key]);
  return copy as T;
}
