/**
 * Decodes the user's keys from terminal bytes: a name if the key has one, otherwise the typed text. Keys wait here until they
 * are wanted, so that none is lost, however many arrive in one read, or before the list is on the terminal.
 */
import { type DecodedKey, KeyDecoder, MOVES } from '../attach/key-decoder.ts';

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'pan-up'
  | 'pan-down'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'clear'
  | 'interrupt'
  | 'suspend'
  | 'redraw';

export type Key = DecodedKey<KeyName>;

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x15': 'clear', // Ctrl-U
  '\x03': 'interrupt',
  '\x04': 'interrupt', // Ctrl-D
  '\x1a': 'suspend',
  '\x0c': 'redraw', // Ctrl-L
  '\x0e': 'down', // Ctrl-N, Ctrl-P: as in a shell
  '\x10': 'up',
  '\x1b': 'escape',
};

const ESCAPES: Readonly<Record<string, KeyName>> = {
  ...MOVES,
  '1;2A': 'pan-up',
  '1;2B': 'pan-down',
};

/** The maximum length of a prompt. */
const TEXT_CHARACTERS_MAX = 64 * 1024;

export class WatchKeys {
  readonly #bytes = new TextDecoder();
  readonly #keys = new KeyDecoder({ controls: CONTROLS, escapes: ESCAPES, pasteCharactersMax: TEXT_CHARACTERS_MAX });
  /** The input that was read and not used yet, piece by piece: an Escape at the end of one does not belong to the next. */
  readonly #waiting: string[] = [];

  /** `bytes` must contain complete escape sequences, as `Keyboard` provides them. */
  feed(bytes: Uint8Array): void {
    const text = this.#bytes.decode(bytes, { stream: true });
    if (text !== '') this.#waiting.push(text);
  }

  /** The next key; undefined if there is none. */
  next(): Key | undefined {
    while (this.#waiting.length > 0) {
      const { key, rest } = this.#keys.take(this.#waiting[0]!);
      if (rest === '') this.#waiting.shift();
      else this.#waiting[0] = rest;
      if (key) return key;
    }
    return undefined;
  }

  /** Returns all waiting input, as it was typed, for another reader. */
  rest(): Uint8Array {
    return Buffer.from(this.#waiting.splice(0).join(''));
  }
}

/** Applies one key to an input line. A cancelled line is empty. */
export function edited(text: string, key: Key): { readonly text: string; readonly end: 'done' | 'given-up' | null } {
  if (key.type === 'text') return { text: (text + key.text).slice(0, TEXT_CHARACTERS_MAX), end: null };
  switch (key.name) {
    case 'enter':
      return { text, end: 'done' };
    case 'escape':
    case 'interrupt':
      return { text: '', end: 'given-up' };
    case 'backspace':
      return { text: [...text].slice(0, -1).join(''), end: null };
    case 'clear':
      return { text: '', end: null };
    default:
      return { text, end: null };
  }
}
