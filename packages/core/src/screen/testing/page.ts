/** What a page runs: xterm as it comes, given whole characters. Reference and receiver of the fidelity tests. */
import headless from '@xterm/headless';
import { cutBytes } from '../cut-character.ts';
import { coreOf, type EngineCore, type Size } from '../engine.ts';

export class Page {
  readonly core: EngineCore;
  readonly #terminal: headless.Terminal;
  #cut: Uint8Array = new Uint8Array(0);

  constructor({ cols, rows }: Size) {
    this.#terminal = new headless.Terminal({ cols, rows, allowProposedApi: true, logLevel: 'off' });
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
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}
