/**
 * Output on its way to a viewer that renders it: filtered, so that no output of a program can harm the viewer's terminal or make
 * it answer (ATT-8), and with the modes that are in force after each piece (ATT-11).
 */
import type { ModeState, ModeTracker, TerminalModes, ViewerFilter, ViewerFilterOptions } from '@spool/vt';

/** The effects on the viewer's terminal, beyond drawing, that a session may have: none by default. */
export type ViewerPermissions = Pick<
  ViewerFilterOptions,
  'allowClipboard' | 'allowColours' | 'allowGraphics' | 'allowMarks' | 'allowScrollbackErase'
>;

export type Vt = typeof import('@spool/vt');

export interface ViewerOutputOptions extends ViewerPermissions {
  readonly isFiltered: boolean;
  /** Whether the viewer types: modes that make a terminal send are then passed on. */
  readonly isTyping: boolean;
}

export class ViewerOutput {
  readonly #vt: Vt;
  readonly #options: ViewerOutputOptions;
  #tracker: ModeTracker;
  #filter: ViewerFilter | null = null;
  #feed: (bytes: Uint8Array) => Uint8Array;
  #told: TerminalModes | null = null;
  #toldRevision = -1;

  /** `modes`: the present modes of the viewer's terminal (default: those of a fresh terminal). */
  constructor(vt: Vt, options: ViewerOutputOptions, modes: ModeState = vt.INITIAL_MODES) {
    this.#vt = vt;
    this.#options = options;
    this.#tracker = new vt.ModeTracker(modes);
    this.#feed = this.#begin(modes);
  }

  /** The modes in force, for encoding keys. */
  get state(): ModeState {
    return this.#tracker.state;
  }

  /** Returns a snapshot, which sets all the modes that it needs; the earlier modes of the viewer's terminal are undone first. */
  snapshot(bytes: Uint8Array): Uint8Array {
    const undone = this.leave();
    this.#tracker = new this.#vt.ModeTracker();
    this.#feed = this.#begin(this.#vt.INITIAL_MODES);
    this.#told = null;
    const painted = this.#feed(bytes);
    if (undone.length === 0) return painted;
    const whole = new Uint8Array(undone.length + painted.length);
    whole.set(undone);
    whole.set(painted, undone.length);
    return whole;
  }

  output(bytes: Uint8Array): Uint8Array {
    return this.#feed(bytes);
  }

  /** Returns the bytes that undo the session's settings, for a terminal that is left. */
  leave(): Uint8Array {
    return this.#filter?.close() ?? new Uint8Array(0);
  }

  /** Returns the modes if they differ from those that were returned last, and always the first time. */
  changed(): TerminalModes | null {
    if (this.#told !== null && this.#tracker.revision === this.#toldRevision) return null;
    const modes = this.#vt.terminalModesOf(this.#tracker.state);
    this.#toldRevision = this.#tracker.revision;
    if (this.#told !== null && this.#vt.isSameModes(this.#told, modes)) return null;
    this.#told = modes;
    return modes;
  }

  #begin(modes: ModeState): (bytes: Uint8Array) => Uint8Array {
    const tracker = this.#tracker;
    const { isFiltered, isTyping, ...permissions } = this.#options;
    if (isFiltered) {
      const filter = new this.#vt.ViewerFilter({ ...permissions, input: isTyping, modes, follow: tracker });
      this.#filter = filter;
      return (bytes) => filter.feed(bytes);
    }
    const scanner = new this.#vt.EscapeScanner({ onSequence: (sequence) => tracker.apply(sequence) });
    return (bytes) => {
      scanner.feed(bytes);
      return bytes;
    };
  }
}
