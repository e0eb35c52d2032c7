/**
 * One session: the client's methods, with the id filled in. It is a handle, not an owner: dropping it does
 * not end the session.
 */
import type { Prompted, SessionInfo, Size, WaitUntil } from '@spool/protocol';
import type { TerminalModes } from '@spool/vt';
import type { Attachment, AttachOptions } from './streams/attachment.ts';
import type { Client } from './client.ts';
import type {
  Explanation,
  PromptOptions,
  Screen,
  ScreenOptions,
  StopOptions,
  UntilOptions,
  UpdateOptions,
  WaitOptions,
} from './options.ts';
import type { TailOptions } from './tail.ts';
import type { OutputCallback, SubscribeOptions } from './streams/output-subscription.ts';
import type { TextWatch, TextWatchOptions } from './streams/text-watch.ts';
import type { Watch, WatchOptions } from './streams/watch.ts';

export class Session {
  readonly id: string;
  /** The info at the creation of the handle; `get` returns the present info. */
  readonly info: SessionInfo;
  readonly #client: Client;

  constructor(client: Client, info: SessionInfo) {
    this.#client = client;
    this.id = info.id;
    this.info = info;
  }

  get(): Promise<SessionInfo> {
    return this.#client.get(this.id);
  }

  watch(options?: WatchOptions): Watch {
    return this.#client.watch(this.id, options);
  }

  watchText(options?: TextWatchOptions): TextWatch {
    return this.#client.watchText(this.id, options);
  }

  /** Calls back with each piece of its text, from its first byte on, until it has ended. */
  subscribe(callback: OutputCallback, options: SubscribeOptions = {}): () => void {
    return this.#client.subscribeWorkerOutput(this.id, callback, { ...options, wait: false });
  }

  attach(options?: AttachOptions): Attachment {
    return this.#client.attach(this.id, options);
  }

  screen(options?: ScreenOptions): Promise<Screen> {
    return this.#client.screen(this.id, options);
  }

  update(options: UpdateOptions): Promise<SessionInfo> {
    return this.#client.update(this.id, options);
  }

  write(bytes: Uint8Array | string): Promise<void> {
    return this.#client.write(this.id, bytes);
  }

  resize(size: Size): Promise<SessionInfo> {
    return this.#client.resize(this.id, size);
  }

  wait(options?: WaitOptions): Promise<SessionInfo> {
    return this.#client.wait(this.id, options);
  }

  waitUntil(until: WaitUntil | readonly WaitUntil[], options?: UntilOptions): ReturnType<Client['waitUntil']> {
    return this.#client.waitUntil(this.id, until, options);
  }

  prompt(text: string, options?: PromptOptions): Promise<Prompted> {
    return this.#client.prompt(this.id, text, options);
  }

  explain(): Promise<Explanation> {
    return this.#client.explain(this.id);
  }

  tail(options: TailOptions): Promise<string> {
    return this.#client.tail(this.id, options);
  }

  keys(words: readonly string[]): Promise<void> {
    return this.#client.keys(this.id, words);
  }

  paste(text: string): Promise<void> {
    return this.#client.paste(this.id, text);
  }

  modes(): Promise<TerminalModes | null> {
    return this.#client.modes(this.id);
  }

  stop(options?: StopOptions): Promise<SessionInfo> {
    return this.#client.stop(this.id, options);
  }

  kill(): Promise<SessionInfo> {
    return this.#client.kill(this.id);
  }

  signal(name: string): Promise<SessionInfo> {
    return this.#client.signal(this.id, name);
  }

  closeInput(): Promise<void> {
    return this.#client.closeInput(this.id);
  }

  remove(options?: { readonly force?: boolean | undefined }): Promise<SessionInfo> {
    return this.#client.remove(this.id, options);
  }
}
