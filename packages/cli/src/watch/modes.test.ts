import type { Question } from '@spool/protocol';
import { expect, test } from 'vitest';
import { sessionWith } from './fixture.ts';
import type { Key } from '../tui/key-reader.ts';
import { TextInput } from '../tui/text-input.ts';
import { optionFor, panelOf, typeText } from './modes.ts';

const QUESTION: Question = {
  text: 'Do you want to proceed?',
  subject: 'rm -r dist',
  options: [
    { key: '1', label: 'Yes' },
    { key: null, label: 'Yes, and never ask again' },
    { key: 'n', label: 'No' },
  ],
};
const text = (typed: string, isPaste = false): Key => ({ type: 'text', text: typed, isPaste });

test('[WATCH-4] the panel shows the question, what it is about, and the answers that can be chosen by number', () => {
  expect(panelOf({ type: 'answer', row: sessionWith('deploy'), question: QUESTION })).toEqual([
    'deploy asks: Do you want to proceed?',
    '   rm -r dist',
    '  1  Yes',
    '     Yes, and never ask again',
    '  3  No',
  ]);
  expect(panelOf({ type: 'list' })).toEqual([]);
});

test.each([
  [text('1'), 'Yes'],
  [text('3'), 'No'],
  [text('N'), 'No'],
  [text('2'), undefined], // its key is not known
  [text('4'), undefined],
  [text('1', true), undefined], // a paste chooses nothing
  [text('x'), undefined],
  [{ type: 'key', name: 'enter' } as const, undefined], // nothing is chosen by a stray Enter
])('[WATCH-4] %j chooses %j', (key, label) => expect(optionFor(QUESTION, key)?.label).toBe(label));

test('[WATCH-4] an answer that is typed and then sent is chosen by its letter', () => {
  const question: Question = {
    text: 'Overwrite file? [y/N]',
    options: [
      { key: 'y Enter', label: 'yes' },
      { key: 'n Enter', label: 'no' },
      { key: 'Down Enter', label: 'later' },
    ],
  };
  expect(['y', 'N', 'd'].map((letter) => optionFor(question, text(letter))?.label)).toEqual(['yes', 'no', undefined]);
});

test('[WATCH-3] a line is typed, corrected, given up, or done', () => {
  const key = (name: 'enter' | 'escape' | 'interrupt' | 'left' | 'backspace'): Key => ({ type: 'key', name });
  const after = (...keys: readonly Key[]): unknown => {
    const input = new TextInput('do');
    const ends = keys.map((each) => typeText(input, each));
    return [input.text, ends.at(-1)];
  };
  expect(after(text('ne'))).toEqual(['done', null]);
  expect(after(key('backspace'), text('one', true))).toEqual(['done', null]);
  expect(after(key('left'), text('i'))).toEqual(['dio', null]);
  expect(after(key('enter'))).toEqual(['do', 'done']);
  expect(after(key('escape'))).toEqual(['', 'given-up']);
  expect(after(key('interrupt'))).toEqual(['', 'given-up']);
});
