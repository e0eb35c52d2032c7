/** Reads recordings of real programs with their times, keys and marks (tests/fixtures/terminal), in the order of events. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../../tests/fixtures/terminal/', import.meta.url));

export type TapeEvent =
  | readonly [ms: number, type: 'o', bytes: number]
  | readonly [ms: number, type: 'i' | 'q', text: string]
  | readonly [ms: number, type: 'r', cols: number, rows: number]
  | readonly [ms: number, type: 'm', label: string, offset: number]
  | readonly [ms: number, type: 'x', exitCode: number | null, signal: number | null];

export interface StatusRecording {
  /** `claude/tui-full-xterm`. */
  readonly name: string;
  readonly agent: string;
  readonly command: readonly string[];
  readonly cols: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly events: readonly TapeEvent[];
}

export function recordings(): readonly StatusRecording[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pty'))
    .sort()
    .map((path) => {
      const { cols, rows, args, events } = JSON.parse(readFileSync(`${FOLDER}${path}.json`, 'utf8')) as {
        cols: number;
        rows: number;
        args: readonly string[];
        events: readonly TapeEvent[];
      };
      const name = path.replace(/\.pty$/, '');
      const agent = name.split('/')[0]!;
      // Claude's recordings name only the arguments.
      const command = agent === 'claude' ? ['claude', ...args] : args;
      return { name, agent, command, cols, rows, bytes: new Uint8Array(readFileSync(FOLDER + path)), events };
    });
}
