/**
 * Reads the plain members of a JSON object that cannot be parsed whole, because its line was cut or is nested too deep: enough to
 * answer a request of which nothing else is known. Keeps REQ-7 for such requests.
 */
import { endOfString, type JsonObject } from './json-value.ts';

/** Returns the members at the top of the object whose value is a text, a number, a boolean or null, as far as they can be read. */
export function skimMembers(text: string): JsonObject {
  const members = Object.create(null) as Record<string, unknown>;
  const open = text.indexOf('{');
  if (open < 0) return members;
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    const keyEnd = endOfString(text, at);
    const key = parsed(text.slice(at, keyEnd + 1));
    const colon = text.indexOf(':', keyEnd + 1);
    if (typeof key !== 'string' || colon < 0) return members;
    const end = endOfValue(text, colon + 1);
    const value = text.slice(colon + 1, end).trim();
    if (value !== '' && !/^[{[]/.test(value) && end < text.length) {
      const plain = parsed(value);
      if (plain !== undefined && !Object.hasOwn(members, key)) members[key] = plain;
    }
    at = end;
  }
  return members;
}

/** Returns the end of the value, which is at the comma or the brace after it. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth++;
    else if (character === ',' && depth === 0) return at;
    else if ((character === '}' || character === ']') && depth-- === 0) return at;
  }
  return text.length;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
