/** One session on one emulator: when the page lets go of it, and when it asks for the lines above the screen. */
import type { AttachItem, Client } from '@spool/client';
import type { Terminal } from '@xterm/xterm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SessionView, type ViewState } from './session-view.ts';

const HIDDEN_MS = 15_000;
const PAUSE_MS = 300;

class FakeAttachment {
  isEnded = false;
  unconfirmedBytes = 0;
  cursor = 0;
  readonly views: object[] = [];
  readonly typed: string[] = [];
  readonly #items: AttachItem[] = [];
  #wake = (): void => {};

  give(item: Partial<AttachItem>): void {
    this.#items.push(item as AttachItem);
    this.#wake();
  }

  view(asked: object): void {
    this.views.push(asked);
  }

  async type(bytes: Uint8Array): Promise<void> {
    this.typed.push(new TextDecoder().decode(bytes));
  }

  close(): void {
    this.isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AttachItem> {
    for (;;) {
      for (const item of this.#items.splice(0)) yield item;
      if (this.isEnded) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function open() {
  vi.useFakeTimers();
  const listeners = new Set<() => void>();
  const page = {
    hidden: false,
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  };
  vi.stubGlobal('document', page);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const attachments: FakeAttachment[] = [];
  const client = {
    attach: () => {
      attachments.push(new FakeAttachment());
      return attachments.at(-1);
    },
  };
  const keys: ((text: string) => void)[] = [];
  const buffer = { active: { viewportY: 0, baseY: 0 } };
  const terminal = {
    buffer,
    onData: (listener: (text: string) => void) => keys.push(listener),
    onBinary: () => {},
    write: (_: Uint8Array, done: () => void) => done(),
  };
  const states: ViewState['type'][] = [];
  const listener = { onState: ({ type }: ViewState) => states.push(type), onSize() {}, onViewers() {} };
  const view = new SessionView(client as unknown as Client, 's', terminal as unknown as Terminal, listener);
  const show = (isShown: boolean): void => {
    page.hidden = !isShown;
    for (const each of listeners) each();
  };
  return { view, attachments, states, buffer, show, type: (text: string) => keys[0]!(text), listeners };
}

test('[PAGE-9] a hidden page lets go after 15 s and looks anew when it is seen; a glance away does not let go', () => {
  const { attachments, show } = open();
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS - 1);
  show(true);
  vi.advanceTimersByTime(HIDDEN_MS);
  expect(attachments.map(({ isEnded }) => isEnded)).toEqual([false]);
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS);
  expect(attachments.map(({ isEnded }) => isEnded)).toEqual([true]);
  show(true);
  expect(attachments.map(({ isEnded }) => isEnded)).toEqual([true, false]);
});

test('[PAGE-9] what was typed and not confirmed keeps a hidden page attached', () => {
  const { attachments, show, type } = open();
  type('ls\r');
  attachments[0]!.unconfirmedBytes = 3;
  show(false);
  vi.advanceTimersByTime(HIDDEN_MS * 2);
  expect(attachments.map(({ isEnded, typed }) => [isEnded, typed])).toEqual([[false, ['ls\r']]]);
});

test('[PAGE-37] after a flood the lines above the screen are asked for once it pauses, unless the user has scrolled up', async () => {
  const { attachments, buffer, states } = open();
  const [attachment] = attachments;
  const snapshot = { type: 'snapshot', bytes: new Uint8Array() } as const;
  attachment!.give(snapshot);
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect([attachment!.views, states]).toEqual([[], ['live']]); // the first has them
  attachment!.give(snapshot);
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  attachment!.give({ type: 'output', bytes: new Uint8Array() });
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  expect(attachment!.views).toEqual([]);
  buffer.active.baseY = 5;
  await vi.advanceTimersByTimeAsync(PAUSE_MS * 3);
  expect(attachment!.views).toEqual([]);
  buffer.active.viewportY = 5;
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(attachment!.views).toEqual([{ wantsSnapshot: true, historyLines: 1000 }]);
});

test('[PAGE-9] a view that is closed lets go, listens to nothing, and does not come back', () => {
  const { view, attachments, show, listeners } = open();
  show(false);
  view.close();
  vi.advanceTimersByTime(HIDDEN_MS);
  show(true);
  expect([attachments.map(({ isEnded }) => isEnded), listeners.size]).toEqual([[true], 0]);
});
