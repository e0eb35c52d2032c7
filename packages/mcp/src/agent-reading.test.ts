import type { Client } from '@spool/client/node';
import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { readAgent } from './agent-reading.ts';

const prompt = (text: string, offset: number): object => ({
  type: 'event',
  offset,
  event: { kind: 'prompt', state: 'started', at: 1, content: [{ type: 'text', text }] },
});

const client = (items: readonly object[]): Client =>
  ({
    watchEvents: () => ({
      async *[Symbol.asyncIterator]() {
        yield* [...items, { type: 'synced' }];
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  }) as unknown as Client;

const options = { charactersMax: 8192, signal: new AbortController().signal };

test.each([undefined, 0])(
  '[MCP-10] each line is read once: the second read begins after the first (from %s)',
  async (cursor) => {
    const session = { id: 'i' } as SessionInfo;
    const first = await readAgent(client([prompt('one', 10), prompt('two', 20)]), session, cursor, options);
    expect(first.text).toMatch(/> one\n[\s\S]*> two\n/);
    const items = [prompt('one', 10), prompt('two', 20), prompt('three', 30)];
    const second = await readAgent(client(items), session, first.nextCursor, options);
    expect(second.text).toContain('> three\n');
    expect(second.text).not.toContain('two');
    expect((await readAgent(client(items), session, second.nextCursor, options)).text).toBe('');
  },
);
