import { expect, test } from 'vitest';
import { type Key, KeyReader, type KeyReaderOptions } from './key-reader.ts';

/** Names as they are, text in quotes. */
function read(...chunks: string[]): string[] {
  const keys = new KeyReader();
  for (const chunk of chunks) keys.feed(Buffer.from(chunk, 'latin1'));
  return [...all(keys)].map((key) => (key.type === 'key' ? key.name : JSON.stringify(key.text)));
}

function* all(keys: KeyReader): Generator<Key> {
  for (let key = keys.next(); key; key = keys.next()) yield key;
}

test('a view may give a key another name, and read ESC and a key as Alt with that key', () => {
  const names = (options: KeyReaderOptions, bytes: string): string[] =>
    new KeyReader(options).keysIn(Buffer.from(bytes)).map((key) => (key.type === 'key' ? key.name : key.text));
  expect(names({}, '\n\x1b[1;2C\x1bb')).toEqual(['newline', 'right', 'escape', 'b']);
  expect(names({ controls: { '\n': 'enter' }, escapes: { '1;2C': 'up' }, hasAlt: true }, '\n\x1b[1;2C\x1bb')).toEqual([
    'enter',
    'up',
    'word-left',
  ]);
});

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

test.each([
  ['\x1b[A\x1bOB\x1b[1;5A\x1b[5~\x1b[6~\x1b[H\x1b[4~', ['up', 'down', 'up', 'page-up', 'page-down', 'home', 'end']],
  ['jk\r\x7f\x15\x03\x1a', ['"j"', '"k"', 'enter', 'backspace', 'erase-line', 'interrupt', 'suspend']],
  ['\x1b[C\x1bOD\x1b[1;2A\x1b[1;2B\x1b[1;5C', ['right', 'left', 'scroll-up', 'scroll-down', 'word-right']],
  ['\x1b', ['escape']],
  ['\x1b[15~\x1b[99;9u\x00', []], // keys without a name
  ['\x1bx', ['escape', '"x"']],
  [utf8('é漢😀'), ['"é"', '"漢"', '"😀"']],
  ['\x1b[200~q\r\ny\x1b[201~z', ['"q\\ny"', '"z"']],
])('%j is %j', (typed, keys) => expect(read(typed)).toEqual(keys));

test('characters and pastes may be cut anywhere; a paste too long for us is cut, and ends', () => {
  const [first, second] = [utf8('漢').slice(0, 1), utf8('漢').slice(1)];
  expect(read(first, second)).toEqual(['"漢"']);
  expect(read('\x1b[200~ab', 'c\x1b[2', '01~d')).toEqual(['"abc"', '"d"']);
  const [paste, after] = read(
    '\x1b[200~',
    ...Array.from({ length: 400 }, () => 'x'.repeat(1000)),
    '\x1b[2',
    '01~',
    'y',
  );
  expect([paste!.length < 263_000, after]).toEqual([true, '"y"']);
});

test('[WATCH-1] keys wait until they are wanted, in their order; what nobody wanted is handed on as it was typed', () => {
  const keys = new KeyReader();
  keys.feed(Buffer.from('jj\r'));
  keys.feed(Buffer.from('y\x1b[3~é'));
  const first = [keys.next(), keys.next(), keys.next()];
  expect(first.map((key) => key && (key.type === 'key' ? key.name : key.text))).toEqual(['j', 'j', 'enter']);
  expect(Buffer.from(keys.rest()).toString()).toBe('y\x1b[3~é');
  expect([keys.next(), keys.rest().length]).toEqual([undefined, 0]);
  // An Escape, and then a letter: not a letter with Alt, though both have waited.
  expect(read('\x1b', 'j')).toEqual(['escape', '"j"']);
});
