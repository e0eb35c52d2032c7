import type { Client } from '@spool/client/node';
import { expect, test } from 'vitest';
import type { Call } from '../tool.ts';
import { screenTool } from './output.ts';

const status = { state: 'idle', kind: null, question: undefined, activity: null, agent: null, why: '' };
const info = { id: 'i', name: 'n', state: 'running', status, offset: 9, exitCode: null, signal: null };
const seen = { content: 'text', cols: 80, rows: 24, offset: 9, title: '', isExact: true };

async function screen(more: object): Promise<string> {
  const client = { get: async () => info, screen: async () => ({ ...seen, ...more }) } as unknown as Client;
  return (await screenTool.call({ session: 'n', historyLines: 0 }, { client } as unknown as Call)).text;
}

test('[SCR-6] a screen without output that is lost says so, and how much that is', async () => {
  expect(await screen({ missingBytes: 77 })).toMatch(
    /^80x24 at offset 9; 77 bytes of its output are no longer stored; /,
  );
  expect(await screen({ missingBytes: 0 })).not.toContain('no longer stored');
  expect(await screen({})).not.toContain('no longer stored');
});
