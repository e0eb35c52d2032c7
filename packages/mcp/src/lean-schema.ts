/**
 * Removes useless keywords from the schema that agents see, because they pay for every word with every request. Validation is
 * unchanged.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

export function leanSchema<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard'];
  const { input, output } = standard.jsonSchema;
  return {
    '~standard': {
      ...standard,
      jsonSchema: { input: (options) => lean(input(options)), output: (options) => lean(output(options)) },
    },
  };
}

/** MCP implies JSON Schema 2020-12, and JSON implies that property names are strings. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', 'propertyNames']);

function lean<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (SAYS_NOTHING.has(key) ? undefined : inner))) as T;
}
