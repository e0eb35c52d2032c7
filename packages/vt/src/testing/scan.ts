/** Calls a function for every sequence of some bytes. */
import { EscapeScanner, type ScannerOptions } from '../scan/escape-scanner.ts';
import type { Sequence } from '../scan/sequence.ts';

export function eachSequence(
  chunks: readonly Uint8Array[],
  onSequence: (sequence: Sequence) => void,
  options?: ScannerOptions,
): EscapeScanner {
  const scanner = new EscapeScanner({ onSequence }, options);
  for (const chunk of chunks) scanner.feed(chunk);
  return scanner;
}
