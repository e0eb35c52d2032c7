/**
 * Plays a dialog of a recorded agent that can be answered: a program with the agent's name prints the recording up to the dialog,
 * waits for keys, and continues the recording with each of them until the dialog is gone. It records its input.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recorded } from './recordings.ts';

/** Matches device attributes, cursor position, modes, colours, focus, which no key sends. */
const REPLIES =
  /\x1b\[\?[\d;]*(?:[cu]|\$y)|\x1b\[>[\d;]*[cm]|\x1b\[\d+;\d+R|\x1b\[[\d;]*[nt]|\x1b\[[IO]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_][^\x1b]*\x1b\\/g;

export class RecordedDialog {
  readonly program: string;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly #keys: string;

  /**
   * `presses` is the number of keys of the answer. `next` is the mark of the dialog at which it ends (default: when there is
   * none).
   */
  constructor(folder: string, agent: string, recording: string, mark: string, presses = 1, next: string | null = null) {
    const { cols, rows, bytes, events } = recorded(recording);
    const from = events.findIndex(([, type, what]) => type === 'm' && what === mark);
    if (from === -1) throw new Error(`${recording} has no mark ${mark}`);
    const before = events.slice(0, from);
    if (before.some(([, type]) => type === 'r')) throw new Error(`${recording} is resized before ${mark}`);
    // The output of the agent after each key of the recording, and the place where the dialog was gone.
    let offset = events[from]![3]!;
    const stops = [offset];
    for (const [, type, what, , truth] of events.slice(from + 1)) {
      if (type === 'o') offset += what as number;
      if (type === 'i' && offset > stops.at(-1)! && stops.length < presses) stops.push(offset);
      if (type === 'm' && what === next) break;
      if (
        next === null &&
        type === 'm' &&
        (truth ? truth.truth !== 'blocked' : /^(?:idle|working)/.test(what as string))
      )
        break;
    }
    stops.push(offset);
    this.size = { cols, rows };
    this.program = join(folder, agent);
    this.#keys = `${this.program}.keys`;
    writeFileSync(`${this.program}.pty`, bytes.subarray(0, offset));
    writeFileSync(this.program, `#!${process.execPath}\n${PLAYER(this.program, stops)}`);
    chmodSync(this.program, 0o755);
  }

  get isReading(): boolean {
    return existsSync(this.#keys);
  }

  /** The typed keys, without the terminal's answers to queries of the recording. */
  get typed(): string {
    return readFileSync(this.#keys, 'latin1').replaceAll(REPLIES, '');
  }
}

const PLAYER = (program: string, stops: readonly number[]): string => `
  const { appendFileSync, readFileSync, writeSync } = require('node:fs');
  const bytes = readFileSync('${program}.pty');
  const stops = ${JSON.stringify(stops)};
  let at = 0;
  const go = () => {
    const end = stops.shift();
    while (end > at) at += writeSync(1, bytes, at, Math.min(end - at, 4096));
  };
  process.stdin.setRawMode(true);
  go();
  appendFileSync('${program}.keys', '');
  // Each read of what is left after the terminal's own answers is one key.
  process.stdin.on('data', (sent) => {
    appendFileSync('${program}.keys', sent);
    if (sent.toString('latin1').replaceAll(${String(REPLIES)}, '') !== '' && stops.length > 0) go();
  });
  process.on('SIGUSR2', () => { while (stops.length > 0) go(); });
  setInterval(() => {}, 1000);
`;
