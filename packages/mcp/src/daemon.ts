/**
 * The way to the daemon. It is opened with the first call that needs it, so that an agent which only lists the tools starts
 * no daemon; from then on the client mends it by itself.
 */
import { type Client, connect } from '@spool/client/node';

export interface DaemonOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The daemon's program, for when none runs. */
  readonly daemonEntry?: string | undefined;
}

export class Daemon implements AsyncDisposable {
  readonly #options: DaemonOptions;
  #opening: Promise<Client> | null = null;

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  get env(): DaemonOptions['env'] {
    return this.#options.env;
  }

  /** `agent`: who is served, for those who ask who typed. The first one counts. */
  client(agent: string): Promise<Client> {
    this.#opening ??= connect({ ...this.#options, who: `mcp ${agent} ${process.pid}` }).catch((error: unknown) => {
      this.#opening = null; // the next call tries again
      throw error;
    });
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opening = this.#opening;
    this.#opening = Promise.reject(new Error('the server is closed'));
    this.#opening.catch(() => {}); // for whoever asks
    await opening?.then(
      (client) => client.close(),
      () => {}, // it never opened, and whoever asked was told
    );
  }
}
