/**
 * Ends the commands of an interrupted turn. Codex moves a long-running command to the background, where an interrupt does not reach
 * it. Therefore the driver lists the background commands and ends those of that turn; commands of earlier turns, such as a server,
 * keep running. Keeps the part of DRV-12 about an interrupt: it leaves no process of its turn.
 */
import { type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import { type CodexWork, sendCodexRequest } from './state.ts';

/** Handles an interrupted turn. */
export function stopCommands(work: CodexWork): void {
  const { commands, thread, options } = work.state;
  if (commands.length === 0 || options.isReadOnly) return;
  sendCodexRequest(work, 'thread/backgroundTerminals/list', { threadId: thread }, JSON.stringify(commands));
}

/** Handles the answer. A version that does not know the request has nothing to end. */
export function stopListed(work: CodexWork, note: string | null, { data }: JsonObject): true {
  const commands: unknown[] = JSON.parse(note ?? '[]');
  for (const terminal of listOf(data).map(objectOf)) {
    const processId = textOf(terminal.processId);
    if (processId === undefined || !commands.includes(terminal.itemId)) continue;
    sendCodexRequest(work, 'thread/backgroundTerminals/terminate', { threadId: work.state.thread, processId });
  }
  return true;
}
