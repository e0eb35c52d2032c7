/** What runs inside the namespace for `inNamespace`: loads the body, gives it its input, writes down its result. */
import { readFileSync, writeFileSync } from 'node:fs';

const [folder, script] = process.argv.slice(2) as [string, string];
const { default: body } = (await import(script)) as { default: (input: unknown) => Promise<unknown> };
const result = await body(JSON.parse(readFileSync(`${folder}/input.json`, 'utf8')));
writeFileSync(`${folder}/result.json`, JSON.stringify(result ?? null));
process.exit(0); // what the body still holds must not keep the namespace alive
