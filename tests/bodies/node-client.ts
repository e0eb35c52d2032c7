/**
 * The client of `nodes-under-faults.ts`, as a process that can be paused: it follows a stream of each node, types into a session of each, and
 * waits for the end of one. Requests come as lines of JSON on stdin; each is answered with a line.
 */
import { createInterface } from 'node:readline';
import { type Client, connect } from '@spool/client/node';
import { VerifiedStream } from '@spool/testkit';

/** The sessions of a node: one that prints without end, one that echoes, one that prints much and ends. */
export interface NodeWork {
  readonly node: string;
  readonly source: string;
  readonly echo: string;
  readonly flood: string;
}

export interface NodeProgress {
  /** The offsets up to which the streams were right. */
  readonly offset: number;
  readonly flooded: number;
  readonly gaps: number;
  readonly shown: string;
  readonly exitCode: number | null;
  readonly failures: readonly string[];
}

class Follower {
  readonly #source = new VerifiedStream();
  readonly #flood = new VerifiedStream();
  readonly #failures: string[] = [];
  readonly #attachment: ReturnType<Client['attach']>;
  #gaps = 0;
  #shown = '';
  #exitCode: number | null = null;

  constructor(client: Client, { source, echo, flood }: NodeWork) {
    this.#attachment = client.attach(echo, { size: { cols: 80, rows: 24 } });
    const verify = async (session: string, stream: VerifiedStream): Promise<void> => {
      for await (const item of client.watch(session, { from: 0 }))
        if (item.type === 'output') stream.push(item.offset, item.bytes);
        else if (item.type === 'gap') this.#gaps++;
    };
    const parts: Readonly<Record<string, () => Promise<void>>> = {
      source: async () => await verify(source, this.#source),
      flood: async () => await verify(flood, this.#flood),
      echo: async () => {
        for await (const item of this.#attachment)
          if (item.type === 'output') this.#shown += Buffer.from(item.bytes).toString('latin1');
      },
      wait: async () => void (this.#exitCode = (await client.wait(flood)).exitCode),
    };
    for (const [name, follow] of Object.entries(parts))
      void follow().catch((error: unknown) => this.#failures.push(`${name}: ${String(error)}`));
  }

  async type(text: string): Promise<void> {
    await this.#attachment.type(Buffer.from(text));
  }

  async settled(): Promise<void> {
    await this.#attachment.settled();
  }

  get progress(): NodeProgress {
    return {
      offset: this.#source.offset,
      flooded: this.#flood.offset,
      gaps: this.#gaps,
      shown: this.#shown,
      exitCode: this.#exitCode,
      failures: this.#failures,
    };
  }
}

const followers = new Map<string, Follower>();
for (const work of JSON.parse(process.argv[2]!) as readonly NodeWork[])
  followers.set(work.node, new Follower(await connect({ node: work.node, reconnectMs: 3_600_000 }), work));

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as { readonly type?: string; readonly settle?: boolean };
  for (const follower of followers.values()) {
    if (asked.type !== undefined) await follower.type(asked.type);
    if (asked.settle) await follower.settled();
  }
  const progress = Object.fromEntries([...followers].map(([name, follower]) => [name, follower.progress]));
  process.stdout.write(`${JSON.stringify(progress)}\n`);
}
