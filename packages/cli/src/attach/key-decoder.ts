/**
 * Splits the input of a terminal into keys, typed text and pastes, by the tables of the caller. Its input has whole escape
 * sequences, as `Keyboard` delivers them.
 */
import { CURSOR_KEYS } from '@spool/vt';

export type DecodedKey<Name extends string> =
  | { readonly type: 'key'; readonly name: Name }
  /** Typed text, one character at a time; or a whole paste with its newlines. */
  | { readonly type: 'text'; readonly text: string; readonly isPaste: boolean };

export interface KeyTables<Name extends string> {
  /** Names by control character. */
  readonly controls: Readonly<Record<string, Name>>;
  /** Names by the text after ESC [ or ESC O, with modifiers (2 Shift, 3 Alt, 5 Ctrl) or without. */
  readonly escapes: Readonly<Record<string, Name>>;
  /** Alt with a key, which comes as ESC and the key. Without this table they are two keys. */
  readonly alts?: Readonly<Record<string, Name>>;
  /** Names by the button of the mouse. */
  readonly wheel?: Readonly<Record<string, Name>>;
  readonly pasteCharactersMax: number;
}

/** Escapes that mean the same everywhere. The enter key is that of the keypad. */
export const MOVES = { ...CURSOR_KEYS, M: 'enter' } as const;

const TOKEN = /\x1b[[O][\d;?<]*[~A-Za-z]|[\s\S]/uy;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

export class KeyDecoder<Name extends string> {
  readonly #tables: KeyTables<Name>;
  /** The paste so far; null outside of a paste. */
  #paste: string | null = null;

  constructor(tables: KeyTables<Name>) {
    this.#tables = tables;
  }

  /** The next key, if it means something here and is complete, and the text behind it. `text` is not empty. */
  take(text: string): { readonly key: DecodedKey<Name> | undefined; readonly rest: string } {
    return this.#paste === null ? this.#typed(text) : this.#pasted(this.#paste + text);
  }

  #typed(text: string): ReturnType<KeyDecoder<Name>['take']> {
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

  #pasted(all: string): ReturnType<KeyDecoder<Name>['take']> {
    const { pasteCharactersMax: most } = this.#tables;
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      // The end marker may be split, so keep as much as could be its beginning.
      this.#paste = all.slice(0, most) + all.slice(most).slice(1 - PASTE_END.length);
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
    const isAlt = token === '\x1b' && second !== undefined && this.#tables.alts?.[second] !== undefined;
    return isAlt ? token + second : token;
  }

  #nameOf(token: string): Name | undefined {
    const { controls, escapes, alts, wheel } = this.#tables;
    if (!token.startsWith('\x1b') || token.length === 1) return controls[token];
    if (token.length === 2) return alts?.[token[1]!];
    const sequence = token.slice(2);
    if (sequence.startsWith('<')) return wheel?.[/^<(\d+)/.exec(sequence)?.[1] ?? ''];
    return escapes[sequence] ?? escapes[sequence.replace(/^1;\d+/, '')];
  }
}
