import { EventEmitter } from 'node:events';
import { DEFAULT_DETACH_KEYS, type TypedPiece } from '@spool/vt';
import { beforeEach, expect, test, vi } from 'vitest';
import { Keyboard } from './keyboard.ts';

beforeEach(() => void vi.useFakeTimers());
function keyboard(): { source: EventEmitter; heard: string[]; keys: Keyboard } {
  const source = Object.assign(new EventEmitter(), { resume() {}, pause() {} });
  const heard: string[] = [];
  const take = (piece: TypedPiece): void =>
    void heard.push('bytes' in piece ? `${piece.type} ${Buffer.from(piece.bytes).toString('latin1')}` : piece.type);
  const listener = { take, onGone: () => heard.push('gone') };
  return { source, heard, keys: new Keyboard(DEFAULT_DETACH_KEYS, listener, source as unknown as NodeJS.ReadStream) };
}

test('keys go on at once; a lone Escape after a moment; half a sequence when its rest has come', () => {
  const { source, heard } = keyboard();
  source.emit('data', Buffer.from('ab'));
  source.emit('data', Buffer.from('\x1b'));
  expect(heard).toEqual(['keys ab']);
  vi.advanceTimersByTime(30);
  expect(heard).toEqual(['keys ab', 'keys \x1b']);
  source.emit('data', Buffer.from('\x1b['));
  vi.advanceTimersByTime(10);
  source.emit('data', Buffer.from('A'));
  expect(heard.slice(2)).toEqual(['keys \x1b[A']);
});

test('[ATT-6] the detach key detaches after a moment, twice it is a key; in other encodings too', () => {
  for (const [typed, expected] of [
    [['\x1c'], ['detach']],
    [['\x1c', '\x1c'], ['keys \x1c']],
    [['\x1b[92;5u'], ['detach']],
    [['\x1b[27;5;92~'], ['detach']],
    [['\x1b[92;5', 'u'], ['detach']],
  ] as const) {
    const { source, heard } = keyboard();
    for (const text of typed) source.emit('data', Buffer.from(text));
    vi.advanceTimersByTime(400);
    expect(heard).toEqual(expected);
  }
});

test('replies and focus are told apart from keys', () => {
  const { source, heard } = keyboard();
  source.emit('data', Buffer.from('a\x1b[?1;2cb\x1b[Ic'));
  expect(heard).toEqual(['keys a', 'reply \x1b[?1;2c', 'keys b', 'focus', 'keys c']);
});

test('a terminal that is gone is told; one that was left is not listened to any more', () => {
  const { source, heard, keys } = keyboard();
  source.emit('data', Buffer.from('\x1b'));
  source.emit('end');
  keys[Symbol.dispose]();
  source.emit('data', Buffer.from('x'));
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual(['gone']);
});
