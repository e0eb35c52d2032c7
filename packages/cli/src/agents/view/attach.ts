/**
 * `spool attach` for an agent without a terminal: its transcript, and a line to write prompts in. Events come from a cursor, each
 * once, so a keeper that is killed changes nothing on the screen. Keeps SHOW-7.
 */
import type { Client } from '@spool/client/node';
import { AgentHandle } from '@spool/client/node';
import type { SessionInfo } from '@spool/protocol';
import type { DetachKey } from '@spool/vt';
import { ansiLine, DocumentView } from '@spool/render';
import { Keyboard } from '../../attach/keyboard.ts';
import { formatDetachKeys, knowsLeaving } from '../../attach/leaving-hint.ts';
import { UserTerminal } from '../../attach/terminal.ts';
import { exitCodeOfSession } from '../../command-line/exit-code.ts';
import { failureOf } from '../../command-line/failure.ts';
import { printable } from '../../output/printable.ts';
import { ownCommand } from '../../output/own-command.ts';
import { endWords } from '../../output/session-words.ts';
import { flush, notice, print, writeOut } from '../../output/stdio.ts';
import { WatchPainter } from '../../watch/painter.ts';
import { SCREEN_BEGIN, SCREEN_END, WatchScreen } from '../../watch/screen.ts';
import { colouringOf } from '../transcript-output.ts';
import { AgentControls } from './controls.ts';
import { AgentKeys } from './keys.ts';
import { AgentPainter } from './picture.ts';

const LEAVING_MS_MAX = 300;
/** The time to wait for a prompt that is being sent. */
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
  const colouring = colouringOf(1);
  const screen = new WatchScreen();
  const pictures = new AgentPainter();
  const keys = new AgentKeys();
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
    onChange: () => painter.changed(),
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

  using terminal = new UserTerminal();
  terminal.undo = () => Buffer.from(SCREEN_END);
  terminal.enter();
  using painter = new WatchPainter(draw);
  using keyboard = new Keyboard(options.detachKeys, {
    take(piece) {
      if (piece.type === 'keys') for (const key of keys.feed(piece.bytes)) controls.press(key);
      else if (piece.type === 'detach') {
        knowsLeaving();
        leave({ type: 'left' });
      }
    },
    onGone: () => leave({ type: 'left' }),
    onRest: (bytes) => options.onTypedAfter?.(bytes),
  });
  const begin = (): void => {
    screen.forget();
    void writeOut(SCREEN_BEGIN);
    painter.changed();
  };
  terminal.onContinue = () => void terminal.outputReady.then(begin);
  process.stdout.on('resize', painter.changed);
  let end: End;
  try {
    await terminal.outputReady;
    begin();
    if (options.typedBefore && options.typedBefore.length > 0) keyboard.feed(options.typedBefore);
    const stopping = new AbortController();
    const followed = follow(stopping.signal);
    followed.catch(() => {}); // reported by the race
    try {
      end = await Promise.race([left, followed]);
    } finally {
      stopping.abort();
    }
    await settled(sending);
  } finally {
    process.stdout.off('resize', painter.changed);
    await flush(1, LEAVING_MS_MAX);
  }
  terminal.leave();
  if (terminal.isTaking) farewell(end);
  return end.type === 'exit' ? exitCodeOfSession(end) : 0;

  async function follow(signal: AbortSignal): Promise<End> {
    await using events = client.watchEvents(session.id, { signal });
    for await (const item of events) {
      controls.take(item);
      if (item.type === 'exit') return item;
      if (item.type === 'removed') return { type: 'removed' };
    }
    return { type: 'left' };
  }

  function draw(): { agesMs: readonly number[]; written: Promise<void> } {
    const size = terminal.size();
    const painted = pictures.paint(controls.picture(), size, colouring);
    controls.drawn(size.rows - 6, painted);
    const { cursor } = painted;
    const text = screen.paint([...painted.lines], size);
    const place = cursor === null ? '\x1b[?25l' : `\x1b[${cursor.row + 1};${cursor.col + 1}H\x1b[?25h`;
    return { agesMs: controls.agesMs, written: writeOut(text + place) };
  }

  function farewell(how: End): void {
    const name = printable(session.name);
    if (how.type === 'exit') {
      const { rows, cols } = terminal.size();
      const { lines } = new DocumentView({ width: cols - 1, isFull: false }).last(controls.transcript, rows - 2);
      for (const line of lines) print(ansiLine(line, colouring));
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
