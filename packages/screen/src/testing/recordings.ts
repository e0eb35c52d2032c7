/** Recordings of real programs (tests/fixtures/terminal): bytes, and the changes of size at their offsets. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Stream } from './fidelity.ts';

const FOLDER = fileURLToPath(new URL('../../../../tests/fixtures/terminal/', import.meta.url));

type Event = readonly [at: number, type: string, value: number, rows?: number];

export function recordings(): readonly Stream[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pty'))
    .sort()
    .map(recording);
}

function recording(name: string): Stream {
  const bytes = new Uint8Array(readFileSync(FOLDER + name));
  const { cols, rows, events } = JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')) as {
    cols: number;
    rows: number;
    events: Event[];
  };
  const resizes: Stream['resizes'][number][] = [];
  let at = 0;
  for (const [, type, value, second] of events) {
    if (type === 'o') at += value;
    else if (type === 'r') resizes.push({ at, cols: value, rows: second! });
  }
  return { name: name.replace(/\.pty$/, ''), cols, rows, bytes, resizes };
}
