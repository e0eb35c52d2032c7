/**
 * Removes useless keywords from the schema that agents see, because they pay for every word with every request.
 *
 * The input is not validated here: the server does that itself, because its sentences name the field and the expected value, and
 * the library would pass on those of the validator [SAY-6].
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

export function shownSchema<Schema extends z.ZodObject>(schema: Schema): StandardSchemaWithJSON<unknown, unknown> {
  const standard = schema['~standard'];
  const { input, output } = standard.jsonSchema;
  return {
    '~standard': {
      ...standard,
      validate: (value) => ({ value }),
      jsonSchema: { input: (options) => lean(input(options)), output: (options) => lean(output(options), OF_OUTPUT) },
    },
  };
}

/** MCP implies JSON Schema 2020-12, and JSON implies that property names are strings. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', 'propertyNames']);

/** A later version may answer with more fields, so an answer is not limited to its schema. */
const OF_OUTPUT: ReadonlySet<string> = new Set([...SAYS_NOTHING, 'additionalProperties']);

function lean<T>(value: T, without = SAYS_NOTHING): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (without.has(key) ? undefined : inner))) as T;
}
