/** `spool prompt`: submits a prompt to a session and checks that it reacts. */
import { waitFor } from '@spool/client/waits';
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
  const { id, name, driver } = await client.get(session);
  // Drop trailing newlines, because Enter is pressed separately.
  const prompted = await client.prompt(id, text.replace(/\n+$/, ''), {
    key: flags.key,
    force: flags.force,
    clear: flags.clear,
    confirmMs: flags.confirm,
  });
  const { isConfirmed, isRepeated, reaction, offset } = prompted;
  const said = { isConfirmed, isRepeated, reaction, offset };
  if (!flags.json && isRepeated) notice('A prompt with this key was already typed; nothing was typed now.');
  else if (!flags.json && !isConfirmed)
    notice(`Typed, but ${printable(name)} has not reacted; look with: spool screen ${printable(name)}`);
  if (wanted === null) {
    if (flags.json) printJson({ ...sessionJson(prompted.session), ...said });
    // A terminal shows what became of it; an agent without one may take it later.
    else if (driver && !isRepeated) print(`Sent to ${printable(name)}.`);
    return isConfirmed || isRepeated ? 0 : EXIT.failed;
  }
  const end = await waitFor(client, id, wanted, { after: isRepeated ? undefined : offset, timeoutMs: flags.timeout });
  if (flags.json) printJson({ ...endJson(end), ...said, end: end.offset });
  else print(endLine(end));
  return endCode(end, wanted);
};

export default prompt;
