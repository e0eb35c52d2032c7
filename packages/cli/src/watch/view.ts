/**
 * `spool watch` on a terminal: shows the list until the user chooses a session, attaches to it with `attach` unchanged, and
 * returns to the list. Keys that are typed meanwhile go where they belong. Keeps WATCH-1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@spool/client';
import { isHeadless, SpoolError } from '@spool/protocol';
import { DEFAULT_DETACH_KEYS } from '@spool/vt';
import { Keyboard } from '../attach/keyboard.ts';
import { UserTerminal } from '../attach/terminal.ts';
import { failureOf } from '../command-line/failure.ts';
import { flush, writeOut } from '../output/stdio.ts';
import { WatchControls } from './controls.ts';
import { WatchKeys } from './keys.ts';
import type { Row } from './list.ts';
import { WatchPainter } from './painter.ts';
import { SCREEN_BEGIN, SCREEN_END } from './screen.ts';

const LEAVING_MS_MAX = 300;
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
  const keys = new WatchKeys();
  const failed = controls.board.follow(leaving.signal);
  failed.catch(() => {}); // handled by show()
  try {
    for (let row = await show(controls, keys, failed); row !== null; row = await show(controls, keys, failed))
      await attach(client, row, controls, keys);
  } finally {
    leaving.abort();
  }
}

/** Shows the list until the user chooses a session. Null: the user quits. */
async function show(controls: WatchControls, keys: WatchKeys, failed: Promise<never>): Promise<Row | null> {
  const { promise, resolve } = Promise.withResolvers<Row | null>();
  let isShown = false;
  using terminal = new UserTerminal();
  terminal.undo = () => Buffer.from(SCREEN_END);
  terminal.enter();
  using painter = new WatchPainter(() => controls.draw(terminal.size()));
  using keyboard = new Keyboard([], {
    take(piece) {
      if (piece.type === 'keys') keys.feed(piece.bytes);
      else if (piece.type === 'mouse' && isShown) controls.mouse(piece.report, terminal.size());
      press();
    },
    onGone: () => choose(null),
  });
  keyboard.isWindowed = true; // the mouse is ours
  terminal.onContinue = () => void terminal.outputReady.then(begin);
  process.stdout.on('resize', painter.changed);
  controls.board.onChange = painter.changed;
  controls.onAttach = choose;
  try {
    await terminal.outputReady;
    await Promise.race([controls.board.listed, failed, sleep(LIST_MS_MAX, undefined, { ref: false })]);
    begin();
    isShown = true;
    press();
    return await Promise.race([promise, failed]);
  } finally {
    isShown = false;
    controls.board.onChange = () => {};
    controls.onAttach = () => {};
    process.stdout.off('resize', painter.changed);
    controls.board.rest();
    await flush(1, LEAVING_MS_MAX);
  }

  function begin(): void {
    controls.board.forgetScreen();
    void writeOut(SCREEN_BEGIN);
    painter.changed();
  }

  /** Handles the keys one after the other; input after a choice is not for the list. */
  function press(): void {
    while (isShown) {
      const key = keys.next();
      if (!key) return;
      const choice = controls.press(key, terminal.size());
      if (choice !== undefined) choose(choice);
    }
  }

  function choose(row: Row | null): void {
    isShown = false;
    resolve(row);
  }
}

async function attach(client: Client, row: Row, controls: WatchControls, keys: WatchKeys): Promise<void> {
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
