/** `spool prompt`: submits a prompt to a session and checks that it reacts; with --wait, prints an agent's answer. Keeps EVT-25. */
import { type AgentEvent, AgentHandle, type Client } from '@spool/client/node';
import { waitFor } from '@spool/client/waits';
import { commandOutcome, inputTrouble } from '../agents/command-outcome.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { sessionJson } from '../output/session-json.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { sessionAndText } from '../command-line/text-operand.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { endCode, endJson, endLine, wantedOf } from '../waits/wait-end.ts';

const prompt: VerbAction<'prompt'> = async ({ flags, operands }, program) => {
  if (flags.timeout !== undefined && flags.wait === undefined)
    throw new UsageError('--timeout requires --wait', 'prompt');
  const wanted = flags.wait === undefined ? null : wantedOf([flags.wait], 'prompt');
  const { session, text } = await sessionAndText('prompt', flags, operands);
  await using client = await openClient(program);
  const { id, name, driver: reader, size } = await client.get(session);
  const driver = size === null ? reader : undefined; // a prompt for an agent in a terminal is typed
  const key = flags.key ?? (driver ? client.newId() : undefined);
  // Drops trailing newlines, because Enter is pressed separately.
  const prompted = await client.prompt(id, text.replace(/\n+$/, ''), {
    key,
    force: flags.force,
    clear: flags.clear,
    confirmMs: flags.confirm,
    readyMs: flags.ready,
  });
  const { isRepeated, reaction, reason, offset } = prompted;
  const doubt = driver && !isRepeated ? await doubtOf(client, id, key!, driver.offset) : null;
  const isConfirmed = prompted.isConfirmed && doubt === null;
  const said = { isConfirmed, isRepeated, reaction, reason: doubt ?? reason, offset };
  if (!flags.json && isRepeated) notice('A prompt with this key was already typed; nothing was typed now.');
  else if (!flags.json && doubt !== null) notice(`Not confirmed: ${printable(doubt)}.`);
  else if (!flags.json && !isConfirmed)
    notice(
      `Typed, but not confirmed: ${printable(reason ?? 'no reaction')}; look with: spool screen ${printable(name)}`,
    );
  if (wanted === null) {
    if (flags.json) printJson({ ...sessionJson(prompted.session), ...said });
    // A terminal shows the outcome; an agent without one may take the prompt later.
    else if (driver && !isRepeated && isConfirmed) print(`Sent to ${printable(name)}.`);
    return isConfirmed || isRepeated ? 0 : EXIT.failed;
  }
  const end = await waitFor(client, id, wanted, { after: isRepeated ? undefined : offset, timeoutMs: flags.timeout });
  const isAnswered = driver !== undefined && ['idle', 'prompt', 'exit'].includes(end.reason);
  const from = isRepeated ? undefined : driver?.offset;
  const answer = isAnswered ? await new AgentHandle(client, end.session).lastMessage({ from }) : null;
  if (flags.json) printJson({ ...endJson(end), ...said, end: end.offset, ...(driver && { answer }) });
  else print(answer ?? endLine(end));
  return endCode(end, wanted);
};

export default prompt;

/** The time within which a driver takes a command. It takes one at once, unless it is being replaced. */
const TAKEN_MS = 5000;
/** The time within which an agent prints something or has closed its input; an agent that thinks first is not waited for. */
const SOON_MS = 1500;

const isNews = (event: AgentEvent): boolean => event.raw !== undefined || isClosed(event);
const isClosed = (event: AgentEvent): boolean => event.kind === 'notice' && event.code === 'input-closed';

/** Returns the reason why a prompt to an agent without a terminal may not arrive; null if there is none. */
async function doubtOf(client: Client, session: string, id: string, from: number): Promise<string | null> {
  // The command is somewhere after `from`; after a repetition its offset is unknown, so it is searched for.
  const sent = { id, offset: from, isRepeated: false };
  const soon = await commandOutcome(client, session, sent, { withinMs: SOON_MS, isReaction: isNews });
  const { isTaken, refusal, reaction } = soon.isTaken
    ? soon
    : await commandOutcome(client, session, sent, { withinMs: TAKEN_MS });
  if (refusal !== null) return refusal;
  if (reaction && isClosed(reaction)) return 'the agent has closed its input, and still runs';
  const trouble = inputTrouble((await client.get(session)).status);
  if (trouble !== null) return `it is queued, but ${trouble}`;
  return isTaken ? null : 'it is queued, but the driver of the agent has not taken it yet';
}
