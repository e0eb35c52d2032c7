import type { Size } from '@spool/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AttachedViewer } from './viewers.ts';
import type { Watcher } from './watcher.ts';
import { viewer } from '../testing/fake-session.ts';
import type { Child } from '../children/child.ts';
import { SharedView, TYPING_PAUSE_MS } from './shared-view.ts';

const SMALL: Size = { cols: 80, rows: 24 };
const LARGE: Size = { cols: 200, rows: 50 };

/** One shared view that records all its actions. */
class SharedViewFixture {
  readonly story: string[] = [];
  readonly watchers = new Set<Watcher>();
  readonly file = {
    record: { name: 'vim', size: SMALL as Size | null },
    sizePolicy: 'latest',
    log: { end: 7, markResize: (cols: number, rows: number) => this.story.push(`mark ${cols}x${rows}`) },
    change: ({ size }: { size: Size }) => (this.file.record.size = size),
  };
  child: { isTerminal: boolean; setSize(size: Size): void } | null = {
    isTerminal: true,
    setSize: ({ cols, rows }) => this.story.push(`set ${cols}x${rows}`),
  };
  readonly view = new SharedView({
    id: 'abcdefghij',
    services: {
      screens: {
        resized: () => {},
        colours: (_id: string, colours: unknown) => this.story.push(`colours ${String(colours)}`),
      },
      emit: () => {},
    } as never,
    file: this.file as never,
    input: {
      push: (bytes: Uint8Array) => {
        this.story.push(`push ${JSON.stringify(Buffer.from(bytes).toString())}`);
        return Promise.resolve();
      },
    } as never,
    watchers: this.watchers,
    child: () => this.child as Child | null,
  });

  attach(name: string, rest: Partial<AttachedViewer> = {}): AttachedViewer {
    const watcher = {
      followsSize: false,
      emitLatest: () => {},
      resized: (_offset: number, cols: number, rows: number) => this.story.push(`${name} told ${cols}x${rows}`),
      snapshot: () => Promise.resolve(void this.story.push(`${name} painted`)),
    } as unknown as Watcher;
    const attached = viewer(null, { watcher, who: name, ...rest });
    this.watchers.add(watcher);
    this.view.viewers.add(attached);
    return attached;
  }
}

test('[SIZE-2] [SIZE-3] a new size is told to the others and not to its sender; the same size again is nothing', () => {
  const desk = new SharedViewFixture();
  const ann = desk.attach('ann');
  desk.attach('bob');
  desk.view.change(ann, { size: LARGE });
  expect(desk.story).toEqual(['set 200x50', 'mark 200x50', 'bob told 200x50']);
  desk.view.change(ann, { size: LARGE });
  expect(desk.story).toHaveLength(3);
});

test('[SIZE-2] another height in pixels is another size, for programs that draw images', () => {
  const desk = new SharedViewFixture();
  const ann = desk.attach('ann');
  desk.view.change(ann, { size: { ...LARGE, widthPx: 1600, heightPx: 800 } });
  desk.view.change(ann, { size: { ...LARGE, widthPx: 1600, heightPx: 900 } });
  expect(desk.file.record.size).toMatchObject({ heightPx: 900 });
  expect(desk.story).toHaveLength(4);
});

test('[SIZE-4] a viewer that regains its own size gets a new snapshot', () => {
  const desk = new SharedViewFixture();
  const ann = desk.attach('ann');
  const bob = desk.attach('bob');
  desk.view.change(ann, { size: LARGE });
  desk.view.change(bob, { size: SMALL });
  desk.story.length = 0;
  desk.watchers.delete(bob.watcher);
  expect(desk.view.left(bob.watcher)).toBe(true);
  expect(desk.story).toEqual(['set 200x50', 'mark 200x50', 'ann told 200x50', 'ann painted']);
  expect(desk.view.left(bob.watcher)).toBe(false);
});

test('[SIZE-1] under `latest` the viewer that types decides; a read-only viewer never does', () => {
  const desk = new SharedViewFixture();
  const ann = desk.attach('ann');
  const bob = desk.attach('bob');
  desk.view.change(ann, { size: LARGE });
  desk.view.change(bob, { size: SMALL });
  desk.view.touch(ann);
  expect(desk.file.record.size).toEqual(LARGE);
  desk.view.change(desk.attach('eve', { isReadOnly: true }), { size: SMALL });
  expect(desk.file.record.size).toEqual(LARGE);
});

test('[SIZE-7] two who type in turn do not make the size flap; a pause or a leave gives it to the other', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const desk = new SharedViewFixture();
  const [ann, bob] = [desk.attach('ann'), desk.attach('bob')];
  desk.view.change(ann, { size: LARGE });
  desk.view.change(bob, { size: SMALL });
  desk.view.touch(ann);
  desk.story.length = 0;
  for (let turn = 0; turn < 20; turn++) {
    vi.advanceTimersByTime(TYPING_PAUSE_MS / 2);
    desk.view.touch(turn % 2 === 0 ? bob : ann);
  }
  expect(desk.story).toEqual([]);
  vi.advanceTimersByTime(TYPING_PAUSE_MS);
  desk.view.touch(bob);
  expect(desk.file.record.size).toEqual(SMALL);
  desk.view.touch(ann);
  expect(desk.file.record.size, 'bob has just typed').toEqual(SMALL);
  desk.view.change(ann, { size: { cols: 100, rows: 30 } });
  expect(desk.file.record.size, 'a window of another size').toEqual({ cols: 100, rows: 30 });
  desk.view.change(bob, { size: SMALL });
  desk.view.left(bob.watcher);
  desk.view.touch(ann);
  expect(desk.file.record.size).toEqual({ cols: 100, rows: 30 });
});

test('the focus of all viewers is one: the program is told when the first gains it and the last loses it', () => {
  const desk = new SharedViewFixture();
  desk.view.reportsFocus = true;
  const [ann, bob] = [desk.attach('ann'), desk.attach('bob')];
  for (const [one, isFocused] of [
    [ann, true],
    [bob, true],
    [ann, false],
    [bob, false],
  ] as const)
    desk.view.change(one, { isFocused });
  expect(desk.story).toEqual([String.raw`push "\u001b[I"`, String.raw`push "\u001b[O"`]);
});

test('a read-only viewer gives its colours only while nobody else can type', () => {
  const desk = new SharedViewFixture();
  const eve = desk.attach('eve', { isReadOnly: true });
  desk.view.change(eve, { colours: 'dark' as never });
  desk.attach('ann');
  desk.view.change(eve, { colours: 'light' as never });
  expect(desk.story).toEqual(['colours dark']);
});

test('a session that has ended, or has no terminal, refuses a size and names itself', () => {
  const desk = new SharedViewFixture();
  desk.child!.isTerminal = false;
  expect(() => desk.view.resize(LARGE)).toThrow(expect.objectContaining({ code: 'NOT_A_TERMINAL' }));
  desk.child = null;
  expect(() => desk.view.resize(LARGE)).toThrow(
    expect.objectContaining({ code: 'SESSION_EXITED', details: { session: 'vim' } }),
  );
});
