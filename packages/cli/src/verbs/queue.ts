/** `spool queue`: the prompts that wait for an agent. Keeps EVT-13: a command counts as done once the driver has taken it. */
import type { AgentHandle, Client, Command, Content } from '@spool/client/node';
import { commandOutcome } from '../agents/command-outcome.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openClient, type VerbAction } from '../program.ts';

/** The time within which a driver takes a command. It takes one at once, unless it is being replaced or the machine is busy. */
const TAKEN_MS = 30_000;

interface WaitingPrompt {
  readonly clientId: string;
  readonly content: readonly Content[];
}

const queue: VerbAction<'queue'> = async ({ flags, operands }, program) => {
  const command = commandOf(flags);
  await using client = await openClient(program);
  const agent = await client.openAgent(operands[0]!);
  if (command) {
    const sent = await agent.command(command);
    const { isTaken, refusal } = await commandOutcome(client, agent.id, sent, { withinMs: TAKEN_MS });
    if (refusal !== null) throw new UsageError(refusal, 'queue');
    if (!isTaken) {
      notice('Not confirmed: the driver of the agent has not taken it yet.');
      return EXIT.failed;
    }
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

async function waitingPrompts(client: Client, agent: AgentHandle): Promise<readonly WaitingPrompt[]> {
  let prompts: readonly WaitingPrompt[] = [];
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
