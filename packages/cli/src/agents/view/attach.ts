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
  return await new AgentAttachment(client, session, options).run();
}

class AgentAttachment {
  readonly #client: Client;
  readonly #session: SessionInfo;
  readonly #options: AttachAgentOptions;
  readonly #left = Promise.withResolvers<End>();
  readonly #pictures = new AgentPainter();
  readonly #keys = new KeyReader({ hasAlt: true });
  /** The requests that are not answered yet. */
  readonly #sending = new Set<Promise<unknown>>();
  readonly #controls: AgentControls;
  readonly #screen: TerminalView;

  constructor(client: Client, session: SessionInfo, options: AttachAgentOptions) {
    this.#client = client;
    this.#session = session;
    this.#options = options;
    this.#controls = this.#makeControls(new AgentHandle(client, session));
    this.#screen = new TerminalView({
      detachKeys: options.detachKeys,
      hasMouse: false,
      draw: (size) => this.#draw(size),
      take: (piece) => {
        if (piece.type === 'keys') for (const key of this.#keys.keysIn(piece.bytes)) this.#controls.press(key);
        else if (piece.type === 'detach') {
          knowsLeaving();
          this.#leave();
        }
      },
      onGone: () => this.#leave(),
      onRest: (bytes) => options.onTypedAfter?.(bytes),
    });
  }

  async run(): Promise<number> {
    const end = await this.#show().finally(() => this.#screen[Symbol.asyncDispose]());
    if (this.#screen.isTaking) this.#farewell(end);
    return end.type === 'exit' ? exitCodeOfSession(end) : 0;
  }

  #makeControls(agent: AgentHandle): AgentControls {
    const { isReadOnly, detachKeys } = this.#options;
    const sent = <T>(promise: Promise<T>): Promise<T> => this.#sent(promise);
    return new AgentControls({
      name: this.#session.name,
      isReadOnly,
      detachKey: detachKeys.length === 0 ? '' : formatDetachKeys(detachKeys),
      now: () => Date.now(),
      onChange: () => this.#screen.changed(),
      onLeave: () => this.#leave(),
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
  }

  #sent<T>(promise: Promise<T>): Promise<T> {
    this.#sending.add(promise);
    const isDone = (): unknown => this.#sending.delete(promise);
    promise.then(isDone, isDone);
    return promise;
  }

  #leave(): void {
    this.#left.resolve({ type: 'left' });
  }

  async #show(): Promise<End> {
    const { typedBefore } = this.#options;
    await this.#screen.begin();
    if (typedBefore && typedBefore.length > 0) this.#screen.feed(typedBefore);
    const stopping = new AbortController();
    const followed = this.#follow(stopping.signal);
    followed.catch(() => {}); // the race reports the error
    const end = await Promise.race([this.#left.promise, followed]).finally(() => stopping.abort());
    await settled(this.#sending);
    return end;
  }

  async #follow(signal: AbortSignal): Promise<End> {
    await using events = this.#client.watchEvents(this.#session.id, { signal });
    for await (const item of events) {
      this.#controls.take(item);
      if (item.type === 'exit') return item;
      if (item.type === 'removed') return { type: 'removed' };
    }
    return { type: 'left' };
  }

  #draw(size: Size): ViewPicture {
    const painted = this.#pictures.paint(this.#controls.picture(), size);
    this.#controls.drawn(size.rows - 6, painted);
    return { ...painted, agesMs: this.#controls.agesMs };
  }

  #farewell(end: End): void {
    const name = printable(this.#session.name);
    if (end.type === 'exit') {
      const { rows, cols } = this.#screen.size;
      const { lines } = new DocumentView({ width: cols - 1, isFull: false }).last(this.#controls.transcript, rows - 2);
      for (const line of lines) print(ansiLine(line, this.#screen.colouring));
    }
    if (this.#options.isQuiet) return;
    if (end.type === 'exit') notice(`[spool: session ${name} ended, ${endWords(end)}]`);
    else if (end.type === 'removed') notice(`[spool: session ${name} was removed]`);
    else notice(`[spool: detached from ${name}; return with: ${ownCommand(['attach', this.#session.name])}]`);
  }
}

async function settled(promises: ReadonlySet<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => (timer = setTimeout(resolve, SENDING_MS_MAX)));
  await Promise.race([Promise.allSettled(promises), enough]);
  clearTimeout(timer);
}
