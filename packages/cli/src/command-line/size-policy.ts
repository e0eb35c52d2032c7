/** Parses `--size-policy`. */
import type { SizePolicy } from '@spool/protocol';
import { UsageError } from './usage-error.ts';

const POLICIES: ReadonlySet<string> = new Set<SizePolicy>(['latest', 'smallest', 'largest', 'fixed']);

export function sizePolicyOf(text: string | undefined, verb: string): SizePolicy | undefined {
  if (text === undefined || POLICIES.has(text)) return text as SizePolicy | undefined;
  throw new UsageError(`--size-policy ${JSON.stringify(text)} is invalid; use ${[...POLICIES].join(', ')}`, verb);
}
