/** A session in this terminal: what it writes is shown, what is typed goes to it, until either side ends. */
import type { Client } from '@spool/client';
import { type SessionInfo, SpoolError, type WatchFrom } from '@spool/protocol';
import { view, type ViewEnd } from './attach-view.ts';
import { DetachKeys, DOUBLE_PRESS_MS, type Key, PARTIAL_MS, type Typed } from './detach-keys.ts';
import { exitCodeOfSession } from './exit-code.ts';
import { printable } from './printable.ts';
import { Typing } from './session-input.ts';
import { endWords } from './session-words.ts';
import { flush, notice, writeOut } from './stdio.ts';
import { Terminal } from './terminal.ts';

/** A window that is dragged sends dozens of sizes; the session gets the one where it came to rest. */
const RESIZE_SETTLE_MS = 50;

const LEAVING_MS_MAX = 300;
const ENDING_MS_MAX = 60_000;

const CTRL_C = 0x03;

export interface TerminalAttachOptions {
  /** The session as the person named it, for notices. */
  readonly calledAs: string;
  readonly from: WatchFrom;
  readonly isReadOnly: boolean;
  readonly detachKeys: readonly Key[];
}

/** Returns the exit code: the session's when it ended, 0 when the person left. */
export async function attachTerminal(
  client: Client,
  session: SessionInfo,
  options: TerminalAttachOptions,
): Promise<number> {
  const leaving = new AbortController();
  let isInMidLine = false;

  using terminal = new Terminal();
  terminal.enter();
  using _keys = readKeys();
  using sizes = followSize();

  const end = await view(
    client,
    session.id,
    options.from,
    {
      async paint(bytes) {
        isInMidLine = bytes.at(-1) !== 0x0a;
        await terminal.outputReady;
        await writeOut(bytes, 1, leaving.signal);
      },
      onPresent: () => sizes.send(),
      onGap: (from, to) => tell(`${to - from} bytes of its output are no longer kept`),
    },
    leaving.signal,
  );
  // Who left does not want to wait for a terminal that takes nothing; who saw the end wants to see all of it.
  await flush(1, end.type === 'left' ? LEAVING_MS_MAX : ENDING_MS_MAX);
  terminal.leave();
  if (terminal.isTaking) {
    const isApart = !isInMidLine && end.type !== 'left';
    notice(`${isApart ? '' : '\n'}${farewell(end, printable(options.calledAs))}`);
  }
  return end.type === 'exit' ? exitCodeOfSession(end) : 0;

  function tell(trouble: string): void {
    process.stderr.write(`\r\n[spool: ${trouble}]\r\n`);
  }

  function readKeys(): Disposable {
    const keys = new DetachKeys(options.detachKeys);
    const typing = new Typing(client, session.id, process.stdin, tell);
    let timer: NodeJS.Timeout | undefined;

    const take = ({ bytes, isDetach }: Typed): void => {
      if (!options.isReadOnly) typing.type(bytes);
      if (isDetach || (options.isReadOnly && bytes.includes(CTRL_C))) return leaving.abort();
      if (keys.isArmed) timer = setTimeout(() => take(keys.settle()), DOUBLE_PRESS_MS);
      else if (keys.isHolding) timer = setTimeout(() => take(keys.settle()), PARTIAL_MS);
    };
    const onData = (bytes: Uint8Array): void => {
      clearTimeout(timer);
      take(keys.feed(bytes));
    };
    // The terminal is gone: so are we, and the session runs on.
    const onGone = (): void => leaving.abort();
    process.stdin.on('data', onData).on('end', onGone).on('error', onGone);
    process.stdin.resume();
    return {
      [Symbol.dispose]() {
        clearTimeout(timer);
        process.stdin.off('data', onData).off('end', onGone);
        process.stdin.pause();
      },
    };
  }

  function followSize(): Disposable & { send(): void } {
    let timer: NodeJS.Timeout | undefined;
    let isPresent = false;
    const send = (): void => {
      isPresent = true;
      if (options.isReadOnly || session.size === null) return;
      client.resize(session.id, terminal.size()).catch((error: unknown) => {
        if (!SpoolError.is(error)) throw error;
        // It ended, or the link broke for good: the watch tells either, better than we could here.
      });
    };
    const onResize = (): void => {
      if (!isPresent) return; // the first size is sent when the past has been painted
      clearTimeout(timer);
      timer = setTimeout(send, RESIZE_SETTLE_MS);
    };
    process.stdout.on('resize', onResize);
    terminal.onContinue = onResize;
    return {
      send,
      [Symbol.dispose]() {
        clearTimeout(timer);
        process.stdout.off('resize', onResize);
      },
    };
  }
}

function farewell(end: ViewEnd, name: string): string {
  switch (end.type) {
    case 'exit':
      return `[spool: session ${name} ended, ${endWords(end)}]`;
    case 'removed':
      return `[spool: session ${name} was removed]`;
    case 'left':
      return `[spool: detached from ${name}; come back with: spool attach ${name}]`;
  }
}
