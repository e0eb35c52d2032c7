import { expect, test } from 'vitest';
import { noticeSequence } from './session-notice.ts';
import { ViewerScreen } from './viewer-screen.ts';

function screen(input = true, allowGraphics = false): { screen: ViewerScreen; written: () => string } {
  let text = '';
  const write = async (bytes: Uint8Array): Promise<void> => void (text += Buffer.from(bytes).toString('latin1'));
  const written = (): string => {
    const now = text;
    text = '';
    return now;
  };
  return { screen: new ViewerScreen({ input, allowGraphics }, write), written };
}

const undone = (viewer: ViewerScreen): string => Buffer.from(viewer.undo()).toString('latin1');

test('[ATT-4] what is there goes into the scrollback, title and keyboard modes of the user on their stacks', async () => {
  const { screen: viewer, written } = screen();
  expect(undone(viewer)).toBe('');
  await viewer.begin(3);
  expect(written()).toBe('\x1b[22;0t\x1b[>0u\r\n\n\n\x1b[H');
  expect(undone(viewer)).toBe('\x0f\x1b[m\x1b[<u\x1b[23;0t');
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

test('[STATE-6] a notice never comes between the halves of a sequence or a character, wherever the output is cut', async () => {
  const notice = noticeSequence({ title: 'api needs your input', body: '' });
  const output = Buffer.from(
    'a\x1b[31mred\x1b]2;title\x07é漢\x1b[?1049h\x1b]8;;https://x.y\x1b\\b\x1bP0;1q#0~~\x1b\\c',
  );
  const whole = screen(true, true);
  await whole.screen.paint(output);
  const expected = whole.written();
  const said = Buffer.from(notice).toString('latin1');
  for (let cut = 0; cut <= output.length; cut++) {
    const { screen: viewer, written } = screen(true, true);
    await viewer.paint(output.subarray(0, cut));
    await viewer.interject(notice);
    await viewer.paint(output.subarray(cut));
    const shown = written();
    expect([cut, shown.replace(said, '')]).toEqual([cut, expected]);
    // The output before the notice is complete in itself.
    const before = Buffer.from(shown.slice(0, shown.indexOf(said)), 'latin1');
    const fresh = screen(true, true);
    await fresh.screen.paint(before);
    expect([cut, fresh.written()]).toEqual([cut, before.toString('latin1')]);
  }
});

test('[STATE-6] while a long image is being sent a notice waits for its end', async () => {
  const { screen: viewer, written } = screen(true, true);
  const notice = noticeSequence({ title: 'api', body: '' });
  await viewer.paint(Buffer.from(`\x1bPq${'~'.repeat(2 * 1024 * 1024)}`));
  await viewer.interject(notice);
  await viewer.paint(Buffer.from('~~~'));
  expect(written()).not.toContain('spool');
  await viewer.paint(Buffer.from('~\x1b\\after'));
  expect(written().endsWith('~\x1b\\after\x1b]9;spool: api\x1b\\')).toBe(true);
});

test('[STATE-6] a notice is one OSC 9, without a bell, whatever is in it', () => {
  const text = (title: string, body: string): string => Buffer.from(noticeSequence({ title, body })).toString();
  expect(text('api needs your input', 'Continue?')).toBe('\x1b]9;spool: api needs your input: Continue?\x1b\\');
  expect(text('\x07\x1b\\\x1b[31m\x9c\r\n\u202e', '')).toBe('\x1b]9;spool: \\[31m\x1b\\');
  expect(text('x'.repeat(5000), '').length).toBeLessThan(220);
});
