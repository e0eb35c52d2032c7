/**
 * Reads everything that the keeper needs of a program's output, in one pass: the present modes and colours, the queries to
 * answer, the events to report.
 *
 * A query is reported after the modes have been followed up to it, so that `modes.state` is right for its answer.
 */
import { type BaseColours, ColourTable } from './colours.ts';
import { EscapeScanner } from '../scan/escape-scanner.ts';
import { type OscEvent, FactReader } from './osc-events.ts';
import { type ModeState, ModeTracker } from './modes.ts';
import { type Query, queriesOf } from './queries.ts';
import type { Sequence } from '../scan/sequence.ts';

export interface FollowListener {
  onQuery?(query: Query): void;
  onOscEvent?(fact: OscEvent): void;
}

export interface FollowOptions {
  /** Absolute offset of the first byte; the modes there; the scanner's pending bytes just before it. */
  readonly offset?: number;
  readonly modes?: ModeState;
  readonly pending?: Uint8Array;
  readonly colours?: BaseColours;
}

export class OutputFollower {
  readonly modes: ModeTracker;
  readonly colours: ColourTable;
  readonly #scanner: EscapeScanner;
  readonly #listener: FollowListener;
  readonly #facts = new FactReader();

  constructor(listener: FollowListener, options: FollowOptions = {}) {
    const { offset = 0, pending = NOTHING } = options;
    this.#listener = listener;
    this.modes = new ModeTracker(options.modes);
    this.colours = new ColourTable(options.colours);
    this.#scanner = new EscapeScanner(
      {
        onSequence: (sequence) => this.#sequence(sequence),
        onControl: (code, at) => this.#tell(this.#facts.control(code, at)),
      },
      { offset: offset - pending.length, controls: [BEL] },
    );
    this.#scanner.feed(pending);
  }

  feed(chunk: Uint8Array): void {
    this.#scanner.feed(chunk);
  }

  get offset(): number {
    return this.#scanner.offset;
  }

  get pending(): Uint8Array {
    return this.#scanner.pending;
  }

  #sequence(sequence: Sequence): void {
    if (sequence.kind === 'csi') {
      if (isDrawing(sequence)) return;
    } else if (sequence.kind === 'osc') {
      this.colours.apply(sequence);
      this.#tell(this.#facts.sequence(sequence));
    }
    this.modes.apply(sequence);
    for (const query of queriesOf(sequence)) this.#listener.onQuery?.(query);
  }

  #tell(fact: OscEvent | undefined): void {
    if (fact !== undefined) this.#listener.onOscEvent?.(fact);
  }
}

/**
 * Returns whether a sequence only draws: colours, cursor movements and erasures, nineteen of twenty sequences, are neither modes
 * nor queries.
 */
function isDrawing({ final, prefix }: Sequence): boolean {
  return prefix === 0 && (final === 0x6d || (final >= 0x41 && final < 0x52));
}

const BEL = 0x07;
const NOTHING = new Uint8Array(0);
