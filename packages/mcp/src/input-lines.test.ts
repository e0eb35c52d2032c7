import { expect, test } from 'vitest';
import { InputLines } from './input-lines.ts';

function read(...pieces: string[]): { readonly passed: string; readonly answers: readonly object[] } {
  const answers: object[] = [];
  const lines = new InputLines((message) => answers.push(message));
  for (const piece of pieces) lines.take(Buffer.from(piece));
  lines.end();
  return { passed: (lines.stream.read() as Buffer | null)?.toString() ?? '', answers };
}

const refused = (id: unknown, code: number): object =>
  expect.objectContaining({ id, error: expect.objectContaining({ code }) as unknown }) as object;

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'],
  ['{"jsonrpc":"2.0","method":"notifications/initialized"}\n'],
  ['{"jsonrpc":"2.0","id":"a","result":{}}\n'],
  ['no JSON\n'], // the library says what is wrong with it, on stderr
])('[MCP-13] %s is passed on, whatever the pieces are', (line) => {
  expect(read(line)).toEqual({ passed: line, answers: [] });
  expect(read(...line)).toEqual({ passed: line, answers: [] });
});

test.each([
  ['{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}\n', 2, -32_602],
  ['{"jsonrpc":"2.0","id":"x","method":"tools/call","params":"y"}\n', 'x', -32_602],
  ['{"id":9,"method":"tools/list"}\n', 9, -32_600],
  ['{"jsonrpc":"2.0","id":4,"method":5}\n', 4, -32_600],
])('[MCP-13] %s is answered with an error', (line, id, code) => {
  expect(read(line)).toEqual({ passed: '', answers: [refused(id, code)] });
});

test('[MCP-13] a line that is too long is answered, and the next one is read', () => {
  const next = '{"jsonrpc":"2.0","id":6,"method":"tools/list"}\n';
  const long = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"${'x'.repeat(5_000_000)}"}}\n`;
  expect(read(long, next)).toEqual({ passed: next, answers: [refused(5, -32_600)] });
});
