/**
 * The connection to the daemon. The first call that needs it opens it, so that an agent that only lists the tools does not start a
 * daemon; after that, the client reconnects by itself.
 */
import { readFileSync } from 'node:fs';
import { type Client, connect } from '@spool/client/node';
import { homeFrom, nodesFile } from '@spool/protocol';

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
  readonly #nodes = new Map<string, Client>();

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  get env(): DaemonOptions['env'] {
    return this.#options.env;
  }

  get mayApprove(): boolean {
    return this.#options.mayApprove === true;
  }

  /** Returns the names of the nodes of this machine. */
  nodeNames(): readonly string[] {
    const { url, node, env } = this.#options;
    if (url !== undefined || node !== undefined) return [];
    try {
      const text = readFileSync(nodesFile(homeFrom(env, process.getuid?.() ?? 0)), 'utf8');
      return (JSON.parse(text) as readonly { readonly name: string }[]).map(({ name }) => name);
    } catch {
      return []; // there are no nodes
    }
  }

  /** Returns the client of this machine or of a node; `agent` is the name under which it types. Only the first name counts. */
  async client(agent: string, node?: string): Promise<Client> {
    const here = await this.#here(agent);
    if (node === undefined) return here;
    const client = this.#nodes.get(node) ?? here.node(node);
    this.#nodes.set(node, client);
    return client;
  }

  #here(agent: string): Promise<Client> {
    this.#opening ??= connect({ ...this.#options, who: `mcp ${agent} ${process.pid}` }).catch((error: unknown) => {
      this.#opening = null; // the next call tries again
      throw error;
    });
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opening = this.#opening;
    this.#opening = Promise.reject(new Error('the server is closed'));
    this.#opening.catch(() => {}); // later callers get the error
    for (const client of this.#nodes.values()) client.close();
    await opening?.then(
      (client) => client.close(),
      () => {}, // it never opened, and the caller got the error
    );
  }
}
