/** The token counts, as the API reports them. */
import type { Tokens } from '@spool/protocol/agent';
import { isObject, numberOf, objectOf, present } from '../json-value.ts';

export function tokensOf(value: unknown): Tokens | undefined {
  if (!isObject(value)) return undefined;
  return present({
    input: numberOf(value.input_tokens) ?? numberOf(value.inputTokens),
    output: numberOf(value.output_tokens) ?? numberOf(value.outputTokens),
    cacheRead: numberOf(value.cache_read_input_tokens) ?? numberOf(value.cacheReadInputTokens),
    cacheWrite: numberOf(value.cache_creation_input_tokens) ?? numberOf(value.cacheCreationInputTokens),
  });
}

export function perModelOf(value: unknown): Record<string, Tokens & { costUsd?: number }> | undefined {
  const models = Object.entries(objectOf(value));
  if (models.length === 0) return undefined;
  return Object.fromEntries(
    models.map(([model, usage]) => {
      const costUsd = numberOf(objectOf(usage).costUSD);
      return [model, { ...tokensOf(usage), ...(costUsd === undefined ? {} : { costUsd }) }];
    }),
  );
}
