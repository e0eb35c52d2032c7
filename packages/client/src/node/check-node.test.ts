import { expect, test } from 'vitest';
import { checkNode } from './check-node.ts';

test.each(['22.12.0', '22.21.1', '24.0.0', '25.1.0'])('[SDK-1] Node %s is accepted', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

test.each(['18.20.0', '20.20.2', '22.11.0'])('[SDK-1] Node %s is refused with a typed error', (version) => {
  expect(() => checkNode(version)).toThrow(
    expect.objectContaining({ code: 'NODE_TOO_OLD', details: { found: version } }) as Error,
  );
});
