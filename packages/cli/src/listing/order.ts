/** `ls --sort`: the orders of a list. A minus before the word reverses it. */
import type { SessionInfo } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';
import { byNeed } from '../output/session-order.ts';

type Compare = (a: SessionInfo, b: SessionInfo) => number;

const ORDERS = {
  need: byNeed,
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
  age: (a, b) => b.startedAt - a.startedAt,
  output: (a, b) => b.offset - a.offset,
  active: (a, b) => (b.lastOutputAt ?? b.startedAt) - (a.lastOutputAt ?? a.startedAt),
} as const satisfies Record<string, Compare>;

export function sessionOrder(text: string): Compare {
  const word = text.replace(/^-/, '');
  if (!Object.hasOwn(ORDERS, word))
    throw new UsageError(`--sort ${JSON.stringify(text)} is unknown; use ${Object.keys(ORDERS).join(', ')}`, 'ls');
  const compare: Compare = ORDERS[word as keyof typeof ORDERS];
  const sign = text.startsWith('-') ? -1 : 1;
  return (a, b) => sign * compare(a, b) || byNeed(a, b);
}
