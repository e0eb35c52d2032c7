/** Parses variables in the form NAME=value, one on each line. Lines without a name are left out. */
export function environmentOf(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  return Object.fromEntries(pairs);
}
