import { beforeEach, expect, test, vi } from 'vitest';
import { AttachCanvas } from './attach-canvas.ts';
import { ViewerScreen } from './viewer-screen.ts';

const OWN = { cols: 80, rows: 24 };
const OTHER = { cols: 200, rows: 50 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
class CanvasFixture {
  text = '';
  readonly asked: string[] = [];
  readonly canvas: AttachCanvas;

  constructor(mayResize = true) {
    const write = async (bytes: Uint8Array): Promise<void> => void (this.text += Buffer.from(bytes).toString());
    this.canvas = new AttachCanvas({
      screen: new ViewerScreen({ input: true }, write),
      own: OWN,
      isTyping: true,
      mayResize,
      write,
      askSnapshot: () => this.asked.push('snapshot'),
      onWindow: (isWindow) => this.asked.push(isWindow ? 'window' : 'bytes'),
    });
  }

  async begins(hasSnapshot = true): Promise<this> {
    await this.canvas.begin(OWN, hasSnapshot);
    return this;
  }

  async gets(size: { cols: number; rows: number }, picture: string): Promise<string> {
    this.text = '';
    this.canvas.resized(size);
    await this.canvas.paintSnapshot(Buffer.from(picture));
    await vi.advanceTimersByTimeAsync(30);
    return this.text;
  }
}

test('[SIZE-41] of the same size a session’s bytes are passed on, and no snapshot is asked for', async () => {
  const watched = await new CanvasFixture().begins();
  expect(await watched.gets(OWN, 'picture')).toContain('picture');
  await watched.canvas.paint(Buffer.from('\x1b[31mred'));
  await vi.advanceTimersByTimeAsync(5000);
  expect(watched.text).toMatch(/\x1b\[31mred$/);
  expect(watched.asked).toEqual([]);
});

test('[SIZE-6] a picture of another size is not shown while the session may still take ours', async () => {
  const watched = await new CanvasFixture().begins();
  expect(await watched.gets(OTHER, 'large')).toBe('');
  await watched.canvas.paint(Buffer.from('large too'));
  expect(await watched.gets(OWN, 'ours')).toContain('ours');
  expect(watched.asked).toEqual([]);
});

test('[SIZE-6] if it does not, a snapshot is asked for and shown through a window', async () => {
  const watched = await new CanvasFixture().begins();
  await watched.gets(OTHER, 'large');
  await vi.advanceTimersByTimeAsync(300);
  expect(watched.asked).toEqual(['snapshot']);
  expect(await watched.gets(OTHER, 'large')).toMatch(/\x1b\[\?1049h.*large.*\[session is 200×50/s);
  expect(watched.asked).toEqual(['snapshot', 'window']);
});

test('[SIZE-6] where ours cannot count, the first picture is shown through a window at once', async () => {
  const watched = await new CanvasFixture(false).begins();
  expect(await watched.gets(OTHER, 'large')).toContain('large');
  expect(watched.asked).toEqual(['window']);
  // Nothing of the terminal was scrolled away for it.
  expect(watched.text).not.toContain('\n');
});

test('[SIZE-6] each change of size asks for a snapshot, and the mode changes when it is there', async () => {
  const watched = await new CanvasFixture(false).begins();
  await watched.gets(OWN, 'ours');
  watched.text = '';
  watched.canvas.resized(OTHER);
  await watched.canvas.paint(Buffer.from('not for this size'));
  await vi.advanceTimersByTimeAsync(30);
  expect(watched.text).toBe('');
  expect(watched.asked).toEqual(['snapshot']);
  expect(await watched.gets(OTHER, 'large')).toContain('large');
  watched.canvas.resized(OWN);
  await watched.canvas.paint(Buffer.from(' still a window'));
  await vi.advanceTimersByTimeAsync(30);
  expect(watched.text).toContain('still a window');
  expect(watched.asked).toEqual(['snapshot', 'window', 'snapshot']);
  const text = await watched.gets(OWN, 'ours again');
  expect(text.indexOf('\x1b[?1049l')).toBeGreaterThanOrEqual(0);
  expect(text.indexOf('\x1b[?1049l')).toBeLessThan(text.indexOf('ours again'));
});

test('[SIZE-6] a snapshot that does not come is asked for again', async () => {
  const watched = await new CanvasFixture(false).begins();
  await watched.gets(OWN, 'ours');
  watched.canvas.fit({ cols: 81, rows: 24 });
  await vi.advanceTimersByTimeAsync(5000);
  expect(watched.asked).toEqual(['snapshot', 'snapshot', 'snapshot']);
});

test('[SIZE-6] a command that was just started and ends before any snapshot is shown as it is', async () => {
  const watched = await new CanvasFixture(false).begins(false);
  watched.canvas.resized(OTHER);
  await watched.canvas.paint(Buffer.from('all that it said'));
  expect(watched.text).toContain('all that it said');
});
