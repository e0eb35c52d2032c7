/** Runs inside the namespace for `inNamespace`: loads the body, passes its input, writes its result. */
import { readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';

const [folder, script] = process.argv.slice(2) as [string, string];
const { default: body } = (await import(script)) as { default: (input: unknown) => Promise<unknown> };
const result = await body(JSON.parse(readFileSync(`${folder}/input.json`, 'utf8'))).catch((error: unknown) => {
  // Node does not print the first error if the clean-up fails too.
  const errors = error instanceof SuppressedError ? [error.suppressed, error.error] : [error];
  process.stderr.write(errors.map((each) => inspect(each)).join('\nand then '));
  process.exit(1);
});
writeFileSync(`${folder}/result.json`, JSON.stringify(result ?? null));
process.exit(0); // open handles of the body must not keep the namespace alive
