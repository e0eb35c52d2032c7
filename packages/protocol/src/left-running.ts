/** Names the processes that were left running when a session ended, for every surface. Keeps RUN-26. */
import type { LeftProcess } from './messages.ts';
import { visible } from './visible-text.ts';

/** Returns one sentence for each process: `left running: Codex's shared service (pid 7), started here, used by others`. */
export function leftSentences(left: readonly LeftProcess[] = []): string[] {
  return left.map(({ pid, program, service }) => {
    const what = service ?? `${visible(program)}, which serves another session`;
    return `left running: ${what} (pid ${pid}), started here, used by others`;
  });
}
