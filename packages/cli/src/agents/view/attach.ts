/**
 * `spool attach` for an agent without a terminal: its transcript, and a line for prompts. Events come from a cursor, each once, so
 * a killed keeper changes nothing on the screen. Keeps SHOW-7.
 */
import type { Client } from '@spool/client/node';
import { AgentHandle } from '@spool/client/node';
import type { SessionInfo, Size } from '@spool/protocol';
import type { DetachKey } from '@spool/vt';
import { ansiLine, DocumentView } from '@spool/render';
import { formatDetachKeys, knowsLeaving } from '../../attach/leaving-hint.ts';
import { exitCodeOfSession } from '../../command-line/exit-code.ts';
import { failureOf } from '../../command-line/failure.ts';
import { printable } from '../../output/printable.ts';
import { ownCommand } from '../../output/own-command.ts';
import { endWords } from '../../output/session-words.ts';
import { notice, print } from '../../output/stdio.ts';
import { TerminalView, type ViewPicture } from '../../tui/terminal-view.ts';
import { KeyReader } from '../../tui/key-reader.ts';
import { AgentControls } from './controls.ts';
import { AgentPainter } from './picture.ts';

/** The time to wait for a prompt that is still being sent. */
const SENDING_MS_MAX = 2000;

export interface AttachAgentOptions {
  readonly isReadOnly: boolean;
  readonly isQuiet: boolean;
  readonly detachKeys: readonly DetachKey[];
  readonly typedBefore?: Uint8Array | undefined;
  readonly onTypedAfter?: ((bytes: Uint8Array) => void) | undefined;
}

type End =
  | { readonly type: 'left' | 'removed' }
  | ({ readonly type: 'exit' } & Pick<SessionInfo, 'state' | 'exitCode' | 'signal'>);

/** Resolves with the exit code of `spool` when the user leaves, or the agent has ended. */
export async function attachAgent(client: Client, session: SessionInfo, options: AttachAgentOptions): Promise<number> {
  const agent = new AgentHandle(client, session);
  const { promise: left, resolve: leave } = Promise.withResolvers<End>();
  const pictures = new AgentPainter();
  const keys = new KeyReader({ hasAlt: true });
  const sending = new Set<Promise<unknown>>();
  const sent = <T>(promise: Promise<T>): Promise<T> => {
    sending.add(promise);
    promise.then(
      () => sending.delete(promise),
      () => sending.delete(promise),
    );
    return promise;
  };
  const controls = new AgentControls({
    name: session.name,
    isReadOnly: options.isReadOnly,
    detachKey: options.detachKeys.length === 0 ? '' : formatDetachKeys(options.detachKeys),
    now: () => Date.now(),
    onChange: () => screen.changed(),
    onLeave: () => leave({ type: 'left' }),
    actions: {
      prompt: (text, when) => sent(agent.prompt(text, { when })),
      slash: (name, args) => sent(agent.command({ do: 'slash', name, ...(args !== '' && { args }) })),
      cancelPrompt: (clientId) => sent(agent.command({ do: 'cancelPrompt', clientId })),
      interrupt: () => sent(agent.interrupt()),
      approve: (ask, how) => sent(agent.approve(ask, how)),
      deny: (ask, how) => sent(agent.deny(ask, how)),
      answer: (ask, answers) => sent(agent.answer(ask, answers)),
      wordsOf: (error) => failureOf(error).message,
    },
  });

  const screen = new TerminalView({
    detachKeys: options.detachKeys,
    hasMouse: false,
    draw,
    take(piece) {
      if (piece.type === 'keys') for (const key of keys.keysIn(piece.bytes)) controls.press(key);
      else if (piece.type === 'detach') {
        knowsLeaving();
        leave({ type: 'left' });
      }
    },
    onGone: () => leave({ type: 'left' }),
    onRest: (bytes) => options.onTypedAfter?.(bytes),
  });
  const end = await show().finally(() => screen[Symbol.asyncDispose]());
  if (screen.isTaking) farewell(end);
  return end.type === 'exit' ? exitCodeOfSession(end) : 0;

  async function show(): Promise<End> {
    await screen.begin();
    if (options.typedBefore && options.typedBefore.length > 0) screen.feed(options.typedBefore);
    const stopping = new AbortController();
    const followed = follow(stopping.signal);
    followed.catch(() => {}); // the race reports the error
    const how = await Promise.race([left, followed]).finally(() => stopping.abort());
    await settled(sending);
    return how;
  }

  async function follow(signal: AbortSignal): Promise<End> {
    await using events = client.watchEvents(session.id, { signal });
    for await (const item of events) {
      controls.take(item);
      if (item.type === 'exit') return item;
      if (item.type === 'removed') return { type: 'removed' };
    }
    return { type: 'left' };
  }

  function draw(size: Size): ViewPicture {
    const painted = pictures.paint(controls.picture(), size);
    controls.drawn(size.rows - 6, painted);
    return { ...painted, agesMs: controls.agesMs };
  }

  function farewell(how: End): void {
    const name = printable(session.name);
    if (how.type === 'exit') {
      const { rows, cols } = screen.size;
      const { lines } = new DocumentView({ width: cols - 1, isFull: false }).last(controls.transcript, rows - 2);
      for (const line of lines) print(ansiLine(line, screen.colouring));
    }
    if (options.isQuiet) return;
    if (how.type === 'exit') notice(`[spool: session ${name} ended, ${endWords(how)}]`);
    else if (how.type === 'removed') notice(`[spool: session ${name} was removed]`);
    else notice(`[spool: detached from ${name}; return with: ${ownCommand(['attach', session.name])}]`);
  }
}

async function settled(promises: ReadonlySet<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => (timer = setTimeout(resolve, SENDING_MS_MAX)));
  await Promise.race([Promise.allSettled(promises), enough]);
  clearTimeout(timer);
}
