/** Parses `--label KEY=VALUE`. */
import { UsageError } from './usage-error.ts';

export function labels(texts: readonly string[], verb = 'run'): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new UsageError(`--label ${JSON.stringify(text)} is invalid; use KEY=VALUE`, verb);
    labels[text.slice(0, equals)] = text.slice(equals + 1);
  }
  return labels;
}
