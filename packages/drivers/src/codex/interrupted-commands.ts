/**
 * Codex moves a command that runs for long to the background, where an interrupt of the turn does not reach it. So the driver
 * asks for what runs there and ends the commands of that turn; those of earlier turns, such as a server, go on.
 * Keeps its part of DRV-12.
 */
import { type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import { type CodexWork, request } from './state.ts';

/** The turn was interrupted. */
export function stopCommands(work: CodexWork): void {
  const { commands, thread, options } = work.state;
  if (commands.length === 0 || options.isReadOnly) return;
  request(work, 'thread/backgroundTerminals/list', { threadId: thread }, JSON.stringify(commands));
}

/** The answer. A version that does not know the request has nothing to end. */
export function stopListed(work: CodexWork, note: string | null, { data }: JsonObject): true {
  const commands: unknown[] = JSON.parse(note ?? '[]');
  for (const terminal of listOf(data).map(objectOf)) {
    const processId = textOf(terminal.processId);
    if (processId === undefined || !commands.includes(terminal.itemId)) continue;
    request(work, 'thread/backgroundTerminals/terminate', { threadId: work.state.thread, processId });
  }
  return true;
}
