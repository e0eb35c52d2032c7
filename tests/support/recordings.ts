/** Reads the recordings of terminal programs in tests/fixtures: their bytes, and the times of events. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

type Event = readonly [ms: number, type: string, what: unknown, offset?: number, truth?: { readonly truth: string }];

export interface RecordedOutput {
  readonly cols: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly events: readonly Event[];
}

/** Reads a recording: `claude-a` of those with the true status, or `claude/tui-resize` of the others. */
export function recorded(name: string): RecordedOutput {
  const read = (file: string): Buffer =>
    existsSync(`${file}.gz`) ? gunzipSync(readFileSync(`${file}.gz`)) : readFileSync(file);
  const isMarked = !name.includes('/');
  const base = `${FIXTURES}${isMarked ? 'marks' : 'terminal'}/${name}`;
  const about = JSON.parse(read(isMarked ? `${base}.json` : `${base}.pty.json`).toString()) as Omit<
    RecordedOutput,
    'bytes'
  >;
  return { ...about, bytes: read(`${base}.pty`) };
}

/** Returns the names of all recordings of both kinds. */
export function recordedNames(): string[] {
  const terminal = readdirSync(`${FIXTURES}terminal`, { recursive: true, encoding: 'utf8' });
  const marks = readdirSync(`${FIXTURES}marks`);
  return [
    ...terminal.flatMap((file) => (file.endsWith('.pty') ? [file.slice(0, -'.pty'.length)] : [])),
    ...marks.flatMap((file) => (file.endsWith('.pty.gz') ? [file.slice(0, -'.pty.gz'.length)] : [])),
  ].sort();
}
