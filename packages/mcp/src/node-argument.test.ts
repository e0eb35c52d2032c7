import { expect, test } from 'vitest';
import { splitNode } from './node-argument.ts';

test('[MCP-15] the node of a call is its argument, or the first part of a session', () => {
  const nodes = ['build1', 'build2'];
  expect(splitNode({ session: 'build1/api' }, nodes)).toEqual({ node: 'build1', args: { session: 'api' } });
  expect(splitNode({ session: 'api', node: 'build1' }, nodes)).toEqual({ node: 'build1', args: { session: 'api' } });
  expect(splitNode({ session: 'feature/x' }, nodes)).toEqual({ node: undefined, args: { session: 'feature/x' } });
  expect(splitNode({ sessions: ['build2/a', 'build2/b'] }, nodes)).toEqual({
    node: 'build2',
    args: { sessions: ['a', 'b'] },
  });
  expect(splitNode({ command: 'true', node: 'build1' }, nodes)).toEqual({ node: 'build1', args: { command: 'true' } });
  expect(splitNode(undefined, nodes)).toEqual({ node: undefined, args: {} });
});

test('[MCP-15] a call for two machines is refused', () => {
  for (const args of [{ sessions: ['build1/a', 'b'] }, { session: 'build1/a', node: 'build2' }, { node: 7 }])
    expect(() => splitNode(args, ['build1', 'build2'])).toThrow(/machine|name of a node/);
});
