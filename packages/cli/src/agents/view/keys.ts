/** The keys of an attached agent, decoded from the bytes of a terminal. `Keyboard` delivers whole escape sequences. */

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

export type AgentKey =
  | { readonly type: 'key'; readonly name: AgentKeyName }
  | { readonly type: 'text'; readonly text: string; readonly isPaste: boolean };

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

/** What follows ESC [ or ESC O; modifiers: 2 Shift, 3 Alt, 5 Ctrl. */
const ESCAPES: Readonly<Record<string, AgentKeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '5~': 'page-up',
  '6~': 'page-down',
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

const TOKEN = /\x1b[[O][\d;?<]*[~A-Za-z]|\x1b[\r\nbf\x7f]|[\s\S]/uy;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const PASTE_CHARACTERS_MAX = 256 * 1024;

export class AgentKeys {
  readonly #decoder = new TextDecoder();
  #paste: string | null = null;

  feed(bytes: Uint8Array): readonly AgentKey[] {
    const keys: AgentKey[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    while (text !== '') text = this.#paste === null ? this.#typed(text, keys) : this.#pasted(text, keys);
    return keys;
  }

  #typed(text: string, keys: AgentKey[]): string {
    TOKEN.lastIndex = 0;
    const [token] = TOKEN.exec(text)!;
    const rest = text.slice(token.length);
    if (token === PASTE_BEGIN) {
      this.#paste = '';
      return rest;
    }
    const name = nameOf(token);
    if (name) keys.push({ type: 'key', name });
    else if (token >= ' ' && !token.startsWith('\x1b')) keys.push({ type: 'text', text: token, isPaste: false });
    return rest;
  }

  #pasted(text: string, keys: AgentKey[]): string {
    const all = this.#paste! + text;
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      // The end may be cut anywhere.
      this.#paste =
        all.length > PASTE_CHARACTERS_MAX ? all.slice(0, PASTE_CHARACTERS_MAX) + all.slice(1 - PASTE_END.length) : all;
      return '';
    }
    this.#paste = null;
    keys.push({ type: 'text', text: all.slice(0, end).replace(/\r\n?/g, '\n'), isPaste: true });
    return all.slice(end + PASTE_END.length);
  }
}

function nameOf(token: string): AgentKeyName | undefined {
  if (token.length === 1) return CONTROLS[token];
  if (token.length === 2) return ALTS[token[1]!];
  const sequence = token.slice(2);
  // The wheel of the mouse; nothing else of it is for us.
  if (sequence.startsWith('<')) return WHEEL[/^<(\d+)/.exec(sequence)?.[1] ?? ''];
  return ESCAPES[sequence] ?? ESCAPES[sequence.replace(/^1;\d+/, '')];
}
