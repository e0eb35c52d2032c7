/** Describes the cost and the context of an agent in a few words, for its tile. Keeps PAGE-75. */
import type { RunUsage } from '@spool/protocol';

/** Returns `$0.42 · 38 % of context`; '' if the agent reports neither. */
export function usageWords({ costUsd, context }: RunUsage = {}): string {
  const words: string[] = [];
  if (costUsd !== undefined && costUsd > 0) words.push(costUsd < 0.01 ? '< $0.01' : `$${costUsd.toFixed(2)}`);
  if (context !== undefined && context.size > 0)
    words.push(`${Math.min(100, Math.round((context.used / context.size) * 100))} % of context`);
  return words.join(' · ');
}
