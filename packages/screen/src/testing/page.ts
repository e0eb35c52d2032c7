/**
 * The terminal of a page: xterm with its defaults, given whole characters, and guarded where it would throw after a change of
 * size. It is the reference and the receiver of the fidelity tests.
 */
import { cutBytes } from '../engine/cut-character.ts';
import { mendAlternate } from '../engine/engine-guards.ts';
import { coreOf, type EngineCore, plainTerminal, type GridSize } from '../engine/engine.ts';

export class TerminalPage {
  readonly core: EngineCore;
  readonly #terminal: ReturnType<typeof plainTerminal>;
  #cut: Uint8Array = new Uint8Array(0);

  constructor(size: GridSize) {
    this.#terminal = plainTerminal(size);
    this.core = coreOf(this.#terminal);
  }

  write(bytes: Uint8Array): void {
    const whole = Buffer.concat([this.#cut, bytes]);
    const end = whole.length - cutBytes(whole);
    this.#cut = Uint8Array.from(whole.subarray(end));
    this.core._inputHandler.parse(whole.subarray(0, end));
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
    mendAlternate(this.core);
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}
