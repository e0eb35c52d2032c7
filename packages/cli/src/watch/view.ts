/**
 * `spool watch` on a terminal: shows the list until the user chooses a session, attaches to it with the unchanged `attach`, and
 * returns to the list. Keys that are typed in between reach the right reader. Keeps WATCH-1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@spool/client';
import { isHeadless, SpoolError } from '@spool/protocol';
import { DEFAULT_DETACH_KEYS } from '@spool/vt';
import { failureOf } from '../command-line/failure.ts';
import { TerminalView } from '../tui/terminal-view.ts';
import { KeyReader } from '../tui/key-reader.ts';
import { WatchControls } from './controls.ts';
import type { Row } from './list.ts';

/** The time to wait for the list: a daemon that does not answer must not keep the user from leaving. */
const LIST_MS_MAX = 1000;

export interface WatchViewOptions {
  readonly showsEnded: boolean;
}

/** Resolves when the user quits; rejects when the connection to the daemon is lost. */
export async function watchSessions(client: Client, options: WatchViewOptions): Promise<void> {
  // Each attach adds an error listener that stays: see Keyboard.
  process.stdin.setMaxListeners(0);
  const leaving = new AbortController();
  using controls = new WatchControls(client, options);
  const keys = new KeyReader({ controls: { '\n': 'enter', '\x04': 'interrupt' }, escapes: { '1;3A': 'up' } });
  const failed = controls.board.follow(leaving.signal);
  failed.catch(() => {}); // show() handles the error
  try {
    for (let row = await show(controls, keys, failed); row !== null; row = await show(controls, keys, failed))
      await attach(client, row, controls, keys);
  } finally {
    leaving.abort();
  }
}

/** Shows the list until the user chooses a session. Returns null if the user quits. */
async function show(controls: WatchControls, keys: KeyReader, failed: Promise<never>): Promise<Row | null> {
  const { promise, resolve } = Promise.withResolvers<Row | null>();
  let isShown = false;
  await using screen = new TerminalView({
    detachKeys: [],
    hasMouse: true,
    draw: (size) => controls.draw(size),
    take(piece) {
      if (piece.type === 'keys') keys.feed(piece.bytes);
      else if (piece.type === 'mouse' && isShown) controls.mouse(piece.report, screen.size);
      press();
    },
    onGone: () => choose(null),
  });
  controls.board.onChange = screen.changed;
  controls.onRedraw = () => screen.redraw();
  controls.onAttach = choose;
  try {
    await screen.begin(Promise.race([controls.board.listed, failed, sleep(LIST_MS_MAX, undefined, { ref: false })]));
    isShown = true;
    press();
    return await Promise.race([promise, failed]);
  } finally {
    isShown = false;
    controls.board.onChange = () => {};
    controls.onRedraw = () => {};
    controls.onAttach = () => {};
    controls.board.rest();
  }

  /** Handles the keys one after the other; input after a choice is not for the list. */
  function press(): void {
    while (isShown) {
      const key = keys.next();
      if (!key) return;
      const choice = controls.press(key, screen.size);
      if (choice !== undefined) choose(choice);
    }
  }

  function choose(row: Row | null): void {
    isShown = false;
    resolve(row);
  }
}

async function attach(client: Client, row: Row, controls: WatchControls, keys: KeyReader): Promise<void> {
  const { attachTerminal } = await import('../attach/terminal-attach.ts');
  try {
    if (isHeadless(row)) {
      const { attachAgent } = await import('../agents/view/attach.ts');
      const info = await client.get(row.id);
      await attachAgent(client, info, {
        isReadOnly: false,
        isQuiet: true,
        detachKeys: DEFAULT_DETACH_KEYS,
        typedBefore: keys.rest(),
        onTypedAfter: (bytes) => keys.feed(bytes),
      });
      return;
    }
    await attachTerminal(client, row, {
      calledAs: row.name || row.id,
      isReadOnly: false,
      takeover: false,
      showsNotices: true,
      detachKeys: DEFAULT_DETACH_KEYS,
      typedBefore: keys.rest(),
      onTypedAfter: (bytes) => keys.feed(bytes),
    });
  } catch (error) {
    if (!SpoolError.is(error)) throw error;
    controls.tell({ text: failureOf(error).message, isTrouble: true });
  }
}
