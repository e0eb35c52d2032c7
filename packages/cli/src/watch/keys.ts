/** Decodes the user's keys from terminal bytes: a name if the key has one, otherwise the typed text. */

export type Key =
  | {
      readonly type: 'key';
      readonly name:
        | 'up'
        | 'down'
        | 'page-up'
        | 'page-down'
        | 'home'
        | 'end'
        | 'enter'
        | 'escape'
        | 'backspace'
        | 'clear'
        | 'interrupt'
        | 'suspend'
        | 'redraw';
    }
  /** Typed text, one character at a time; or a whole paste with its newlines. */
  | { readonly type: 'text'; readonly text: string; readonly isPaste: boolean };

type Name = Extract<Key, { type: 'key' }>['name'];

const CONTROLS: Readonly<Record<string, Name>> = {
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

/** Keyed by the characters after ESC [ or ESC O, without modifiers. */
const ESCAPES: Readonly<Record<string, Name>> = {
  A: 'up',
  B: 'down',
  H: 'home',
  F: 'end',
  M: 'enter', // on the keypad
  '1~': 'home',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
};

/** An escape sequence, or one character. */
const TOKEN = /\x1b[[O][\d;?]*[~A-Za-z]|\x1b[^\x1b]|[\s\S]/gu;
const PASTE_END = '\x1b[201~';
/** The maximum length of a prompt. */
const TEXT_CHARACTERS_MAX = 64 * 1024;

export class WatchKeys {
  readonly #decoder = new TextDecoder();
  /** The paste so far; null outside of a paste. */
  #paste: string | null = null;

  /** `bytes` must contain complete escape sequences, as `Keyboard` provides them. */
  read(bytes: Uint8Array): Key[] {
    const keys: Key[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    while (text !== '') text = this.#paste === null ? this.#typed(text, keys) : this.#pasted(text, keys);
    return keys;
  }

  /** Returns the rest, which is part of a paste. */
  #typed(text: string, keys: Key[]): string {
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (token === '\x1b[200~') {
        this.#paste = '';
        return text.slice(index + token.length);
      }
      const name = token.length > 1 ? ESCAPES[token.slice(2).replace(/^1;\d+/, '')] : CONTROLS[token];
      if (name) keys.push({ type: 'key', name });
      else if (token >= ' ' && !token.startsWith('\x1b')) keys.push({ type: 'text', text: token, isPaste: false });
    }
    return '';
  }

  #pasted(text: string, keys: Key[]): string {
    const all = this.#paste + text;
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      // The end marker may be split, so keep as much as could be its beginning.
      this.#paste = all.slice(0, TEXT_CHARACTERS_MAX) + all.slice(TEXT_CHARACTERS_MAX).slice(1 - PASTE_END.length);
      return '';
    }
    this.#paste = null;
    keys.push({ type: 'text', text: all.slice(0, end).replace(/\r\n?/g, '\n'), isPaste: true });
    return all.slice(end + PASTE_END.length);
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
