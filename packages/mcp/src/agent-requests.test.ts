/** Tests that another agent can read every line of a request: at once, or page by page with exact counts. */
import type { RequestEvent } from '@spool/client';
import type { Client } from '@spool/client/node';
import { requestText } from '@spool/render';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedText, readRequestLines } from './agent-requests.ts';

const WIDTH = 120;
const words = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constantFrom('\u001b[2J', 'ls\nrm -rf ~', '\u200b\u3164', 'x'.repeat(5000), 'line\n'.repeat(200)),
);
const input = fc.dictionary(words, fc.oneof(words, fc.jsonValue()), { maxKeys: 6 });

function clientOf(events: readonly RequestEvent[]): Client {
  const agent = {
    requests: () => Promise.resolve(events),
    request: (id: string) => Promise.resolve(events.find(({ request }) => request === id) ?? null),
  };
  return { openAgent: () => Promise.resolve(agent) } as unknown as Client;
}

const asked = (request: string, members: unknown): RequestEvent =>
  ({ kind: 'permission.requested', request, name: 'Bash', input: members, options: [], digest: '1-a' }) as never;

test('[MCP-12, REQ-1] any request can be read to its end, page by page, and no page acts on a terminal', async () => {
  await fc.assert(
    fc.asyncProperty(input, fc.integer({ min: 200, max: 3000 }), async (members, charactersMax) => {
      const event = asked('r1', members);
      const client = clientOf([event]);
      const read: string[] = [];
      for (let from = 0, left = 1; left > 0;) {
        const page = await readRequestLines(client, 's', { request: 'r1', from, charactersMax });
        const [head = '', , ...lines] = page.split('\n');
        expect(page).not.toMatch(/[^\P{Cc}\n]|[\u200b\u3164\u202a-\u202e]/u);
        read.push(...lines);
        from = Number(/^nextCursor (\d+);/.exec(head)![1]);
        left = head.endsWith('the end') ? 0 : Number(/; (\d+) more lines$/.exec(head)![1]);
        expect(read.length + left).toBe(requestText(event, WIDTH).split('\n').length);
      }
      expect(read.join('\n')).toBe(requestText(event, WIDTH));
    }),
  );
});

test('[MCP-12, REQ-1] the list of requests has each whole, or counts exactly what follows and names where it is read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 4 }), async (inputs) => {
      const events = inputs.map((members, at) => asked(`r${at}`, members));
      const text = await askedText(clientOf(events), 's');
      const named = /\n(\d+) more wait: (.*); read each with/.exec(text);
      const isNamed = (id: string): boolean => named?.[2]?.includes(`"${id}"`) === true;
      expect(Number(named?.[1] ?? 0)).toBe(events.filter(({ request }) => isNamed(request)).length);
      for (const event of events) {
        const whole = requestText(event, WIDTH);
        if (isNamed(event.request) || text.includes(`\n${whole}`)) continue;
        const [, left, cursor] = /\[(\d+) more lines: spool_read with this request and cursor (\d+)\]/.exec(text)!;
        expect(Number(left) + Number(cursor)).toBe(whole.split('\n').length);
        expect(text).toContain(whole.split('\n').slice(0, Number(cursor)).join('\n'));
      }
    }),
  );
});
