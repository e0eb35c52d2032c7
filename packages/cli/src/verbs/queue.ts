/** `spool queue`: the prompts that wait for an agent. */
import type { AgentHandle, Client, Command, Content } from '@spool/client/node';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openClient, type VerbAction } from '../program.ts';

interface Waiting {
  readonly clientId: string;
  readonly content: readonly Content[];
}

const queue: VerbAction<'queue'> = async ({ flags, operands }, program) => {
  const command = commandOf(flags);
  await using client = await openClient(program);
  const agent = await client.openAgent(operands[0]!);
  if (command) {
    const { id, offset } = await agent.command(command);
    const refused = await refusalOf(client, agent, id, offset);
    if (refused !== null) throw new UsageError(refused, 'queue');
  }
  const waiting = await waitingPrompts(client, agent);
  if (flags.json) printJson(waiting.map(({ clientId, content }) => ({ id: clientId, content })));
  else if (waiting.length === 0) notice('No prompts wait.');
  else for (const { clientId, content } of waiting) print(`${clientId}  ${printable(textOf(content))}`);
  return 0;
};

export default queue;

function commandOf(flags: {
  readonly remove?: string | undefined;
  readonly edit?: string | undefined;
  readonly text?: string | undefined;
  readonly move?: string | undefined;
  readonly before?: string | undefined;
  readonly sendNow?: string | undefined;
}): Command | null {
  const { remove, edit, text, move, before, sendNow } = flags;
  if ([remove, edit, move, sendNow].filter((value) => value !== undefined).length > 1)
    throw new UsageError('use one of --remove, --edit, --move and --send-now', 'queue');
  if ((edit === undefined) !== (text === undefined)) throw new UsageError('--edit requires --text', 'queue');
  if (before !== undefined && move === undefined) throw new UsageError('--before requires --move', 'queue');
  if (remove !== undefined) return { do: 'cancelPrompt', clientId: remove };
  if (edit !== undefined) return { do: 'editPrompt', clientId: edit, content: [{ type: 'text', text: text! }] };
  if (sendNow !== undefined) return { do: 'sendPrompt', clientId: sendNow };
  if (move !== undefined) return { do: 'movePrompt', clientId: move, ...(before !== undefined && { before }) };
  return null;
}

/** Why the driver did not carry the command out; null when it did. */
async function refusalOf(client: Client, agent: AgentHandle, id: string, offset: number): Promise<string | null> {
  await using events = client.watchEvents(agent.id, { from: offset });
  for await (const item of events) {
    if (item.type !== 'event') continue;
    const { event } = item;
    if (event.kind === 'command.refused' && event.command === id) return event.message;
    if (event.kind === 'queue') return null;
  }
  return null;
}

async function waitingPrompts(client: Client, agent: AgentHandle): Promise<readonly Waiting[]> {
  let prompts: readonly Waiting[] = [];
  await using events = client.watchEvents(agent.id);
  for await (const item of events) {
    if (item.type === 'synced') break;
    if (item.type === 'event' && item.event.kind === 'queue') prompts = item.event.prompts;
  }
  return prompts;
}

function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ');
}
