/**
 * Reads keys from the bytes of a terminal: a name if the key has one, otherwise the typed text or paste. Keys wait here until they
 * are requested, so that none is lost, however many arrive in one read, or before their view is on the terminal.
 */
import { CURSOR_KEYS } from '@spool/vt';

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'scroll-up'
  | 'scroll-down'
  | 'enter'
  | 'newline'
  | 'tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'erase-word'
  | 'erase-line'
  | 'erase-rest'
  | 'interrupt'
  | 'end-of-input'
  | 'suspend'
  | 'redraw'
  | 'expand'
  | 'send-now'
  | 'take-back';

export type Key =
  | { readonly type: 'key'; readonly name: KeyName }
  /** Typed text, one character at a time, or a whole paste with its newlines. */
  | { readonly type: 'text'; readonly text: string; readonly isPaste: boolean };

type KeyTable = Readonly<Record<string, KeyName>>;

/** Names by control character. */
const CONTROLS: KeyTable = {
  '\r': 'enter',
  '\n': 'newline', // Ctrl-J, and Shift-Enter in some terminals
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home', // Ctrl-A, and so on, as in a shell
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'erase-rest',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x0f': 'expand', // Ctrl-O
  '\x10': 'up',
  '\x13': 'send-now', // Ctrl-S
  '\x15': 'erase-line',
  '\x17': 'erase-word',
  '\x1a': 'suspend',
  '\x1b': 'escape',
};

/** Names by the text after ESC [ or ESC O, with modifiers (2 Shift, 3 Alt, 5 Ctrl) or without. */
const ESCAPES: KeyTable = {
  ...CURSOR_KEYS,
  M: 'enter', // of the keypad
  '3~': 'delete',
  '1;2A': 'scroll-up',
  '1;2B': 'scroll-down',
  '1;3A': 'take-back',
  '1;3C': 'word-right',
  '1;3D': 'word-left',
  '1;5C': 'word-right',
  '1;5D': 'word-left',
  '13;2u': 'newline',
  '13;3u': 'newline',
  '27;2;13~': 'newline',
  '27;3;13~': 'newline',
};

/** Alt with a key, which comes as ESC and the key. */
const ALTS: KeyTable = {
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
  '\x7f': 'erase-word',
};

/** Names by the button of the mouse. */
const WHEEL: KeyTable = { 64: 'scroll-up', 65: 'scroll-down' };

export interface KeyReaderOptions {
  /** The keys with another meaning in this view, by control character and by escape. */
  readonly controls?: KeyTable;
  readonly escapes?: KeyTable;
  /** Whether ESC and a key mean Alt with that key. Without it they are two keys. */
  readonly hasAlt?: boolean;
}

const PASTE_CHARACTERS_MAX = 256 * 1024;
const TOKEN = /\x1b[[O][\d;?<]*[~A-Za-z]|[\s\S]/uy;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

export class KeyReader {
  readonly #controls: KeyTable;
  readonly #escapes: KeyTable;
  readonly #alts: KeyTable;
  readonly #bytes = new TextDecoder();
  /** The unused input, piece by piece: an Escape at the end of one piece does not belong to the next. */
  readonly #waiting: string[] = [];
  /** The paste so far; null outside of a paste. */
  #paste: string | null = null;

  constructor({ controls, escapes, hasAlt = false }: KeyReaderOptions = {}) {
    this.#controls = { ...CONTROLS, ...controls };
    this.#escapes = { ...ESCAPES, ...escapes };
    this.#alts = hasAlt ? ALTS : {};
  }

  /** `bytes` must contain complete escape sequences, as `Keyboard` provides them. */
  feed(bytes: Uint8Array): void {
    const text = this.#bytes.decode(bytes, { stream: true });
    if (text !== '') this.#waiting.push(text);
  }

  /** Returns the next key; undefined if there is none. */
  next(): Key | undefined {
    while (this.#waiting.length > 0) {
      const text = this.#waiting[0]!;
      const { key, rest } = this.#paste === null ? this.#typed(text) : this.#pasted(this.#paste + text);
      if (rest === '') this.#waiting.shift();
      else this.#waiting[0] = rest;
      if (key) return key;
    }
    return undefined;
  }

  /** Returns the keys in these bytes. */
  keysIn(bytes: Uint8Array): readonly Key[] {
    this.feed(bytes);
    const keys: Key[] = [];
    for (let key = this.next(); key; key = this.next()) keys.push(key);
    return keys;
  }

  /** Returns all waiting input, as it was typed, for another reader. */
  rest(): Uint8Array {
    return Buffer.from(this.#waiting.splice(0).join(''));
  }

  #typed(text: string): { readonly key: Key | undefined; readonly rest: string } {
    const token = this.#token(text);
    const rest = text.slice(token.length);
    if (token === PASTE_BEGIN) {
      this.#paste = '';
      return { key: undefined, rest };
    }
    const name = this.#nameOf(token);
    if (name !== undefined) return { key: { type: 'key', name }, rest };
    const isText = token >= ' ' && !token.startsWith('\x1b');
    return { key: isText ? { type: 'text', text: token, isPaste: false } : undefined, rest };
  }

  #pasted(all: string): { readonly key: Key | undefined; readonly rest: string } {
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      // The end marker may be split, so keep as much as could be its beginning.
      this.#paste = all.slice(0, PASTE_CHARACTERS_MAX) + all.slice(PASTE_CHARACTERS_MAX).slice(1 - PASTE_END.length);
      return { key: undefined, rest: '' };
    }
    this.#paste = null;
    const text = all.slice(0, end).replace(/\r\n?/g, '\n');
    return { key: { type: 'text', text, isPaste: true }, rest: all.slice(end + PASTE_END.length) };
  }

  #token(text: string): string {
    TOKEN.lastIndex = 0;
    const [token] = TOKEN.exec(text)!;
    const second = text[1];
    const isAlt = token === '\x1b' && second !== undefined && this.#alts[second] !== undefined;
    return isAlt ? token + second : token;
  }

  #nameOf(token: string): KeyName | undefined {
    if (!token.startsWith('\x1b') || token.length === 1) return this.#controls[token];
    if (token.length === 2) return this.#alts[token[1]!];
    const sequence = token.slice(2);
    if (sequence.startsWith('<')) return WHEEL[/^<(\d+)/.exec(sequence)?.[1] ?? ''];
    return this.#escapes[sequence] ?? this.#escapes[sequence.replace(/^1;\d+/, '')];
  }
}
