/**
 * Decodes the user's keys from terminal bytes: a name if the key has one, otherwise the typed text. Keys wait here until they
 * are wanted, so that none is lost, however many arrive in one read, or before the list is on the terminal.
 */

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

export type Key =
  | { readonly type: 'key'; readonly name: KeyName }
  /** Typed text, one character at a time; or a whole paste with its newlines. */
  | { readonly type: 'text'; readonly text: string; readonly isPaste: boolean };

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

/** Keyed by the characters after ESC [ or ESC O, without modifiers; Shift makes other keys of the arrows. */
const ESCAPES: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter', // on the keypad
  '1~': 'home',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
  '1;2A': 'pan-up',
  '1;2B': 'pan-down',
};

/** An escape sequence, or one character. Escape and a letter in one read are two keys: nothing here has Alt. */
const TOKEN = /\x1b[[O][\d;?]*[~A-Za-z]|[\s\S]/uy;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** The maximum length of a prompt. */
const TEXT_CHARACTERS_MAX = 64 * 1024;

export class WatchKeys {
  readonly #decoder = new TextDecoder();
  /** What was read and not wanted yet, piece by piece: an Escape at the end of one does not belong to the next. */
  readonly #waiting: string[] = [];
  /** The paste so far; null outside of a paste. */
  #paste: string | null = null;

  /** `bytes` must contain complete escape sequences, as `Keyboard` provides them. */
  feed(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text !== '') this.#waiting.push(text);
  }

  /** The next key; undefined if there is none. */
  next(): Key | undefined {
    while (this.#waiting.length > 0) {
      const key = this.#paste === null ? this.#typed() : this.#pasted();
      if (this.#waiting[0] === '') this.#waiting.shift();
      if (key) return key;
    }
    return undefined;
  }

  /** Everything that waits, as it was typed, for somebody else. */
  rest(): Uint8Array {
    return Buffer.from(this.#waiting.splice(0).join(''));
  }

  /** Undefined for a key that means nothing here, and for the beginning of a paste. */
  #typed(): Key | undefined {
    const [text] = this.#waiting as [string];
    TOKEN.lastIndex = 0;
    const [token] = TOKEN.exec(text)!;
    this.#waiting[0] = text.slice(token.length);
    if (token === PASTE_BEGIN) {
      this.#paste = '';
      return undefined;
    }
    const sequence = token.slice(2);
    const name = token.length > 1 ? (ESCAPES[sequence] ?? ESCAPES[sequence.replace(/^1;\d+/, '')]) : CONTROLS[token];
    if (name) return { type: 'key', name };
    return token >= ' ' && !token.startsWith('\x1b') ? { type: 'text', text: token, isPaste: false } : undefined;
  }

  /** Undefined while its end has not come. */
  #pasted(): Key | undefined {
    const all = this.#paste! + this.#waiting[0]!;
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      // The end marker may be split, so keep as much as could be its beginning.
      this.#paste = all.slice(0, TEXT_CHARACTERS_MAX) + all.slice(TEXT_CHARACTERS_MAX).slice(1 - PASTE_END.length);
      this.#waiting[0] = '';
      return undefined;
    }
    this.#paste = null;
    this.#waiting[0] = all.slice(end + PASTE_END.length);
    return { type: 'text', text: all.slice(0, end).replace(/\r\n?/g, '\n'), isPaste: true };
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
