/** Reads the members of a tool's input, which depends on the agent. */

/** Returns the list of a tool that writes a plan; null for other input. */
export function todosOf(input: unknown): readonly { readonly text: string; readonly status: string }[] | null {
  const todos = typeof input === 'object' && input !== null && 'todos' in input ? input.todos : null;
  if (!Array.isArray(todos) || todos.length === 0) return null;
  const list = todos.map((each: unknown) => ({
    text: memberOf(each, 'content') ?? '',
    status: memberOf(each, 'status') ?? '',
  }));
  return list.every(({ text }) => text !== '') ? list : null;
}

export function memberOf(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
