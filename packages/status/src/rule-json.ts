/** Reads the parts of a rule file: each reader returns the part, or refuses it with a reason. */

export type RuleJson = Readonly<Record<string, unknown>>;

/** A refusal with a reason; the caller continues with the next part. */
export class RuleRefusal extends Error {}

export const WORD_CHARACTERS_MAX = 64;
const DURATION_MS_MAX = 600_000;

export function word(text: unknown, name: string): string {
  if (typeof text === 'string' && text.length <= WORD_CHARACTERS_MAX && /^[@\w][\w./+-]*$/.test(text)) return text;
  throw new RuleRefusal(`${name} must be a word of at most ${WORD_CHARACTERS_MAX} characters, not ${showValue(text)}`);
}

export function number(value: unknown, name: string, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new RuleRefusal(`${name} must be a number from ${least} to ${most}, not ${showValue(value)}`);
}

export const duration = (json: RuleJson, key: string): number | undefined =>
  json[key] === undefined ? undefined : number(json[key], `"${key}"`, 0, DURATION_MS_MAX);

export function list(value: unknown, most: number): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new RuleRefusal(`it must be a list, not ${showValue(value)}`);
  if (value.length > most) throw new RuleRefusal(`it must have at most ${most} parts, not ${value.length}`);
  return value;
}

export function record(value: unknown): RuleJson {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RuleJson;
  throw new RuleRefusal(`it must be an object, not ${showValue(value)}`);
}

export function only(json: RuleJson, keys: readonly string[]): void {
  const unknown = Object.keys(json).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new RuleRefusal(`${showValue(unknown)} is unknown; use ${keys.join(', ')}`);
}

/** Returns the name of a rule for errors, if it has a printable one. */
export function readName(part: unknown): string | undefined {
  const name = typeof part === 'object' && part !== null ? (part as RuleJson)['name'] : undefined;
  return typeof name === 'string' && name !== '' ? showValue(name) : undefined;
}

export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, WORD_CHARACTERS_MAX));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}
