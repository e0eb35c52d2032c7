/** Recordings of real programs (tests/fixtures/terminal), cut as the original reads were. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface TerminalRecording {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The same bytes, cut where the reads ended. */
  readonly chunks: readonly Uint8Array[];
}

const FOLDER = fileURLToPath(new URL('../../../../tests/fixtures/terminal/', import.meta.url));

export function recordings(): readonly TerminalRecording[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pty'))
    .sort((one, other) => (one.replace('.pty', '') < other.replace('.pty', '') ? -1 : 1))
    .map(recording);
}

function recording(name: string): TerminalRecording {
  const bytes = new Uint8Array(readFileSync(FOLDER + name));
  const { events } = JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')) as {
    events: [number, string, number][];
  };
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const [, type, length] of events) if (type === 'o') chunks.push(bytes.subarray(at, (at += length)));
  if (at < bytes.length) chunks.push(bytes.subarray(at));
  return { name: name.replace(/\.pty$/, ''), bytes, chunks };
}
