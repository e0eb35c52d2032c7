/** Writes the table of counts into docs/agents.md: part of `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countsTable } from './counts.ts';

export const PAGE = join(import.meta.dirname, '../../../../docs/agents.md');
export const TABLE = /(?<=<!-- counts: npm run docs -->\n)[^]*?(?=\n<!-- end of counts -->)/;

if (process.argv[1] === import.meta.filename)
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(TABLE, countsTable()));
