import { useWidths } from '@spool/screen';
import xterm from '@xterm/headless';
import { beforeEach, expect, test, vi } from 'vitest';
import { WindowView } from './window-view.ts';

const SESSION = { cols: 40, rows: 10 };
const OWN = { cols: 20, rows: 6 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
class WindowViewFixture {
  readonly view: WindowView;
  readonly frames: string[] = [];
  /** Lets a terminal that has accepted nothing so far accept its output. */
  take: (() => void) | null = null;
  isStuck = false;

  constructor(isTyping = true, own = OWN) {
    const write = async (bytes: Uint8Array): Promise<void> => {
      this.frames.push(Buffer.from(bytes).toString());
      if (this.isStuck) await new Promise<void>((resolve) => (this.take = resolve));
    };
    this.view = new WindowView({ session: SESSION, own, isTyping, write });
    this.view.snapshot(SESSION, Buffer.from('\x1b[H\x1b[2J'));
  }

  async prints(text: string, ms = 20): Promise<void> {
    this.view.feed(Buffer.from(text));
    await vi.advanceTimersByTimeAsync(ms);
  }

  lines(): string[] {
    const terminal = new xterm.Terminal({ ...OWN, allowProposedApi: true, logLevel: 'off' });
    useWidths(terminal);
    const { _core: core } = terminal as unknown as { _core: { writeSync(text: string): void } };
    core.writeSync(this.frames.join(''));
    return Array.from({ length: OWN.rows }, (_, row) =>
      terminal.buffer.active.getLine(row)!.translateToString().trimEnd(),
    );
  }
}

test('[SIZE-6] a window with a line below it, in one frame that shows at once', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('hello\r\n\x1b[4;1Hfour');
  expect(watched.frames).toHaveLength(1);
  expect(watched.frames[0]).toMatch(/^\x1b\[\?2026h.*\x1b\[\?1049h.*\x1b\[\?2026l$/s);
  expect(watched.lines()).toEqual(['hello', '', '', 'four', '', '[session is 40×10]']);
});

test('[SIZE-6] a slow terminal is not waited for: it gets the newest picture when it takes one', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('first');
  watched.isStuck = true;
  for (let at = 0; at < 100; at++) await watched.prints(`\x1b[Hpicture ${at}`);
  expect(watched.frames).toHaveLength(2);
  watched.isStuck = false;
  watched.take!();
  await vi.advanceTimersByTimeAsync(20);
  expect(watched.frames).toHaveLength(3);
  expect(watched.frames[2]).toContain('99');
});

test('[SIZE-6] a synchronized update is shown when it is whole, or when it takes too long', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('\x1b[?2026hhalf');
  expect(watched.frames).toEqual([]);
  await watched.prints(' whole\x1b[?2026l');
  expect(watched.frames.join('')).toContain('half whole');
  await watched.prints('\x1b[?2026h, never ended', 100);
  expect(watched.frames).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(watched.frames).toHaveLength(2);
});

test('[ATT-4, SIZE-6] modes of typing are those of the session, and all is undone', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('\x1b[?1h\x1b[?2004h\x1b[>5u\x1b[?1004h\x1b]2;a title\x07\x1b[?2048h\x1b[?1016h\x1b[3;5r\x1b(0');
  const [frame] = watched.frames;
  for (const set of [
    '\x1b[?1h',
    '\x1b[?2004h',
    '\x1b[>5u',
    '\x1b[?1004h',
    '\x1b]2;a title\x1b\\',
    '\x1b[?1000h',
    '\x1b[?1006h',
  ])
    expect(frame).toContain(set);
  for (const never of ['2048', '1016', '\x1b[3;5r', '\x1b(0']) expect(frame).not.toContain(never);
  const undone = Buffer.from(watched.view.close()).toString();
  for (const reset of [
    '\x1b[?1l',
    '\x1b[?2004l',
    '\x1b[<1u',
    '\x1b[?1004l',
    '\x1b[?1000l',
    '\x1b[?1006l',
    '\x1b[?7h',
    '\x1b[23;0t',
  ])
    expect(undone).toContain(reset);
  expect(undone.indexOf('\x1b[<1u')).toBeLessThan(undone.indexOf('\x1b[?1049l'));
});

test('[ATT-7, SIZE-6] a viewer that only looks is not told the session’s modes of typing', async () => {
  const watched = new WindowViewFixture(false);
  await watched.prints('\x1b[?1h\x1b[?2004h\x1b[>5u\x1b[?1003h');
  expect(watched.frames[0]).not.toMatch(/\x1b\[\?(1|2004|1003)h|\x1b\[>5u/);
});

test('[SIZE-6] the wheel moves the window unless the program wants it; clicks go to the session’s own cell or nowhere', async () => {
  const watched = new WindowViewFixture();
  const wheel = { button: 65, row: 0, col: 0, isRelease: false };
  await watched.prints('\x1b[Htop\x1b[10;30Hcorner\x1b[H');
  expect(watched.view.mouse(wheel)).toBeUndefined();
  await vi.advanceTimersByTimeAsync(20);
  expect(watched.lines().at(-1)).toBe('[session is 40×10]');
  await watched.prints('\x1b[?1000h\x1b[?1006h');
  const sent = (row: number, col: number): string | undefined => {
    const bytes = watched.view.mouse({ ...wheel, row, col });
    return bytes && Buffer.from(bytes).toString();
  };
  expect(sent(0, 0)).toBe('\x1b[<65;1;4M');
  expect(sent(4, 19)).toBe('\x1b[<65;20;8M');
  expect(sent(5, 0)).toBeUndefined(); // the line below
  watched.view.follow();
  await vi.advanceTimersByTimeAsync(20);
  expect(sent(0, 0)).toBe('\x1b[<65;1;1M');
});

test('[SIZE-6] a hidden cursor is followed where text scrolls by, and not on a full screen', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('\x1b[?25l\x1b[10;1Hbottom');
  expect(watched.lines()[4]).toBe('bottom');
  await watched.prints('\x1b[?1049h\x1b[2J\x1b[1;1Htop\x1b[10;40H');
  watched.view.pan('home');
  watched.view.pan('page-up');
  watched.view.pan('page-up');
  watched.view.pan('page-up');
  watched.view.pan('leave');
  await vi.advanceTimersByTimeAsync(20);
  expect(watched.lines()[0]).toBe('top');
});

test('[SIZE-6] what a session that has ended printed last is left as text', async () => {
  const watched = new WindowViewFixture();
  await watched.prints('one\r\n\x1b[31mtwo\x1b[m\r\n');
  expect(watched.view.text).toBe('one\n\x1b[31mtwo\x1b[m');
  await watched.prints('\x1b[?1049hfull screen');
  expect(watched.view.text).toBe('');
});
