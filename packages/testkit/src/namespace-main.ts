/** Runs inside the namespace for `inNamespace`: loads the body, passes its input, writes its result. */
import { readFileSync, writeFileSync } from 'node:fs';

const [folder, script] = process.argv.slice(2) as [string, string];
const { default: body } = (await import(script)) as { default: (input: unknown) => Promise<unknown> };
const result = await body(JSON.parse(readFileSync(`${folder}/input.json`, 'utf8')));
writeFileSync(`${folder}/result.json`, JSON.stringify(result ?? null));
process.exit(0); // open handles of the body must not keep the namespace alive
