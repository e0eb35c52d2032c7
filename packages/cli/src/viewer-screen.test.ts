import { expect, test } from 'vitest';
import { ViewerScreen } from './viewer-screen.ts';

function screen(input = true): { screen: ViewerScreen; written: () => string } {
  let text = '';
  const write = async (bytes: Uint8Array): Promise<void> => void (text += Buffer.from(bytes).toString('latin1'));
  const written = (): string => {
    const now = text;
    text = '';
    return now;
  };
  return { screen: new ViewerScreen({ input }, write), written };
}

const undone = (viewer: ViewerScreen): string => Buffer.from(viewer.undo()).toString('latin1');

test('what is there goes into the scrollback, and the title on its stack', async () => {
  const { screen: viewer, written } = screen();
  expect(undone(viewer)).toBe('');
  await viewer.begin(3);
  expect(written()).toBe('\x1b[22;0t\r\n\n\n\x1b[H');
  expect(undone(viewer)).toBe('\x0f\x1b[m\x1b[23;0t');
});

test('[ATT-5] snapshot and stream are one: a sequence that the snapshot ends in is continued', async () => {
  const { screen: viewer, written } = screen();
  await viewer.paintSnapshot(Buffer.from('\x18\x1b[H\x1b[2Jtext\x1b[3'));
  await viewer.paint(Buffer.from('1mred\x1b]52;c;ZXZpbA'));
  await viewer.paint(Buffer.from('==\x07.'));
  expect(written().replaceAll('\x18', '')).toBe('\x1b[H\x1b[2Jtext\x1b[31mred.');
});

test('[ATT-4] before another snapshot all that was set is undone, and afterwards only what it has set', async () => {
  const { screen: viewer, written } = screen();
  await viewer.paint(Buffer.from('\x1b[?1049h\x1b[?1000h\x1b[>5uab\x1b[?2'));
  written();
  await viewer.paintSnapshot(Buffer.from('\x1b[H\x1b[?2004hnew'));
  const text = written();
  expect(text).toContain('\x1b[?1000l');
  expect(text).toContain('\x1b[<1u');
  expect(text.indexOf('\x1b[?1049l')).toBeLessThan(text.indexOf('\x1b[H'));
  expect(text.endsWith('\x1b[H\x1b[?2004hnew')).toBe(true);
  expect(undone(viewer)).toBe('\x0f\x1b[?2004l\x1b[m\x1b[23;0t');
});

test('[ATT-7] a terminal that only looks is never told to send anything', async () => {
  const { screen: viewer, written } = screen(false);
  await viewer.paint(Buffer.from('\x1b[?1000;1006h\x1b[?2004h\x1b[>5u\x1b=a\x1b[?1049hb'));
  expect(written()).toBe('a\x1b[?1049hb');
});
