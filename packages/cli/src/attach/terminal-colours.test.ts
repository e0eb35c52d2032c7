import { expect, test, vi } from 'vitest';
import { ColourQuestion } from './terminal-colours.ts';

const xterm = { TERM: 'xterm-256color' };
const reply = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test('both colours are asked for once, and known as soon as the terminal has answered all', async () => {
  let asked = '';
  const question = new ColourQuestion(xterm, (text) => (asked += text));
  expect(asked).toBe('\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c');
  question.handle(reply('\x1b]10;rgb:ffff/8080/0000\x07'));
  question.handle(reply('\x1b]11;rgb:00/11/22\x1b\\'));
  question.handle(reply('\x1b[?62;22c'));
  await question.silence();
  expect(question.colours).toEqual({ foreground: '#ff8000', background: '#001122' });
});

test('a terminal that knows nothing of colours costs one reply; COLORFGBG stands in', async () => {
  const question = new ColourQuestion({ ...xterm, COLORFGBG: '15;0' }, () => {});
  question.handle(reply('\x1b[?1;2c'));
  await question.silence();
  expect(question.colours).toEqual({ foreground: '#ffffff', background: '#000000' });
  const none = new ColourQuestion(xterm, () => {});
  none.handle(reply('\x1b[?1;2c'));
  await none.silence();
  expect(none.colours).toBeUndefined();
});

test('one that answers nothing is waited for a moment; some are not asked at all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const silent = new ColourQuestion(xterm, () => {});
  let isAnswered = false;
  const answered = silent.silence().then(() => (isAnswered = true));
  await vi.advanceTimersByTimeAsync(50);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(600);
  vi.useRealTimers();
  await answered;
  expect(silent.colours).toBeUndefined();
  for (const TERM of ['dumb', 'linux', '', 'vt100', undefined]) {
    let asked = '';
    const question = new ColourQuestion({ TERM }, (text) => (asked += text));
    await question.silence();
    expect(asked).toBe('');
  }
});

test('what is no colour is not taken for one', async () => {
  const question = new ColourQuestion(xterm, () => {});
  for (const text of ['\x1b]11;evil\x07', '\x1b]12;rgb:1/1/1\x07', '\x1b]11;rgb:1/1\x07', '\x1b[?1c'])
    expect(question.handle(reply(text))).toBe(false);
  await question.silence();
  expect(question.colours).toBeUndefined();
});

test('one that answers late is heard late', () => {
  const question = new ColourQuestion(xterm, () => {});
  expect(question.colours).toBeUndefined();
  expect(question.handle(reply('\x1b]11;rgb:00/11/22\x1b\\'))).toBe(true);
  expect(question.colours).toEqual({ background: '#001122' });
});
