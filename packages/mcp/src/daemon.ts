/**
 * The connection to the daemon. The first call that needs it opens it, so that an agent that only lists the tools does not
 * start a daemon; after that, the client reconnects by itself.
 */
import { type Client, connect } from '@spool/client/node';

export interface DaemonOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program of the daemon, to start it if none is running. */
  readonly daemonEntry?: string | undefined;
  /** The gateway of another machine, and a token for it. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** A node of this machine. */
  readonly node?: string | undefined;
  /** Whether the calling agent may answer requests of other agents. */
  readonly mayApprove?: boolean | undefined;
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

  get mayApprove(): boolean {
    return this.#options.mayApprove === true;
  }

  /** Returns the client; `agent` is the name under which it types. The first name counts. */
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
    this.#opening.catch(() => {}); // reported to later callers
    await opening?.then(
      (client) => client.close(),
      () => {}, // it never opened, and the caller got the error
    );
  }
}
