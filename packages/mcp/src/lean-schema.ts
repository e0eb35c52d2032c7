/**
 * A schema as it is listed to agents, without what tells them nothing: they pay for every word of it with every request.
 * What is checked stays the same.
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

/** 2020-12 is what MCP takes for granted, and that names are strings so does JSON. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', 'propertyNames']);

function lean<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (SAYS_NOTHING.has(key) ? undefined : inner))) as T;
}
