/** The keys of an attached agent, decoded from the bytes of a terminal. `Keyboard` delivers whole escape sequences. */
import { type DecodedKey, KeyDecoder, MOVES } from '../../attach/key-decoder.ts';

export type AgentKeyName =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'interrupt'
  | 'end-of-input'
  | 'tab'
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
  | 'take-back'
  | 'backspace'
  | 'delete'
  | 'erase-word'
  | 'erase-line'
  | 'erase-rest'
  | 'expand'
  | 'send-now'
  | 'redraw';

export type AgentKey = DecodedKey<AgentKeyName>;

const CONTROLS: Readonly<Record<string, AgentKeyName>> = {
  '\r': 'enter',
  '\n': 'newline', // Ctrl-J, and Shift-Enter in some terminals
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
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
  '\x1b': 'escape',
};

const ESCAPES: Readonly<Record<string, AgentKeyName>> = {
  ...MOVES,
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

const WHEEL: Readonly<Record<string, AgentKeyName>> = { 64: 'scroll-up', 65: 'scroll-down' };

/** Alt with a key, as ESC and the key. */
const ALTS: Readonly<Record<string, AgentKeyName>> = {
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
  '\x7f': 'erase-word',
};

const PASTE_CHARACTERS_MAX = 256 * 1024;

export class AgentKeys {
  readonly #bytes = new TextDecoder();
  readonly #keys = new KeyDecoder({
    controls: CONTROLS,
    escapes: ESCAPES,
    alts: ALTS,
    wheel: WHEEL,
    pasteCharactersMax: PASTE_CHARACTERS_MAX,
  });

  feed(bytes: Uint8Array): readonly AgentKey[] {
    const keys: AgentKey[] = [];
    let text = this.#bytes.decode(bytes, { stream: true });
    while (text !== '') {
      const { key, rest } = this.#keys.take(text);
      if (key) keys.push(key);
      text = rest;
    }
    return keys;
  }
}
