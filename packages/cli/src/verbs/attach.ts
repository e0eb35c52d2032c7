/** `spool attach`: shows a session in this terminal, or streams it if there is no terminal. */
import type { Client } from '@spool/client';
import { isHeadless, type SessionInfo, SpoolError } from '@spool/protocol';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { endWords, isEnded } from '../output/session-words.ts';
import { refuseFolder } from '../output/stdin.ts';
import { checkJsonOutput, wantsEvents } from '../session-output/json-output-flags.ts';
import { isTerminal, notice, print } from '../output/stdio.ts';
import { permissions } from '../command-line/permissions.ts';
import { userSettings } from '../command-line/user-settings.ts';
import { UsageError } from '../command-line/usage-error.ts';

const TAIL_BYTES = 64 * 1024;

const attach: VerbAction<'attach'> = async ({ flags, operands }, program) => {
  const { detachKeysOf } = await import('../attach/detach-keys.ts');
  const settings = userSettings({ isQuiet: flags.quiet || flags.json });
  const detachKeys = detachKeysOf(flags.detachKeys, 'attach', settings.detachKeys);
  checkJsonOutput(flags, 'attach');
  if (flags.readOnly && flags.takeover)
    throw new UsageError('--takeover cannot be combined with --read-only', 'attach');
  await using client = await openClient(program);
  const session = operands[0] ? await client.get(operands[0]) : await latest(client);
  // The session would show itself recursively without end.
  if (process.env.SPOOL_SESSION === session.id && !flags.json)
    throw new SpoolError('NOT_ALLOWED', { reason: 'this terminal is inside that session' });
  const calledAs = session.name;
  if (isHeadless(session) && !flags.raw) {
    if (flags.json) {
      const { printAgentEvents } = await import('../agents/agent-events-json.ts');
      await printAgentEvents(client, session.id, { follow: true });
      return 0;
    }
    if (isTerminal(0) && isTerminal(1)) {
      const { attachAgent } = await import('../agents/view/attach.ts');
      return await attachAgent(client, session, { isReadOnly: flags.readOnly, isQuiet: flags.quiet, detachKeys });
    }
    // Standard input is not for the agent: prompts are sent with `spool prompt`.
    const { printTranscript } = await import('../agents/transcript-output.ts');
    await printTranscript(client, session, { isFollowing: true });
    return 0;
  }

  const isPty = session.size !== null;
  const isShown = isPty && isTerminal(0) && isTerminal(1) && !flags.json;
  const from = !isShown && flags.history === Infinity ? 0 : { tailBytes: flags.tail ?? TAIL_BYTES };
  await using events = wantsEvents(flags)
    ? (await import('../session-output/output-events.ts')).tellOutput(client, session, calledAs, {
        file: flags.jsonFile,
        flushMs: flags.flushMs,
        from: isShown ? 'end' : from,
      })
    : undefined;
  const tell = flags.quiet ? () => {} : events?.isOnStderr ? events.notice : undefined;
  if (isShown) {
    const { attachTerminal } = await import('../attach/terminal-attach.ts');
    return await attachTerminal(client, session, {
      calledAs,
      isReadOnly: flags.readOnly,
      takeover: flags.takeover,
      historyLines: flags.history ?? settings.history,
      showsNotices: !flags.noNotices,
      isQuiet: flags.quiet || events?.isOnStderr === true,
      tell: flags.quiet ? () => {} : events?.isOnStderr ? print : undefined,
      detachKeys,
      ...permissions(flags),
    });
  }
  // A session on pipes gets whole lines from the terminal; Ctrl-D closes its input.
  const isTyping = isTerminal(0) && !isPty && !flags.readOnly;
  if (!isTerminal(0) && !flags.readOnly) refuseFolder('attach');
  const { streamSession } = await import('../attach/stream-session.ts');
  const { end, exitCode } = await streamSession(client, session, {
    calledAs,
    from,
    asJson: flags.json,
    asText: !flags.json && !flags.raw && isPty,
    isForwarding: !flags.readOnly && !isEnded(session) && (isTyping || !isTerminal(0)),
    // A user who only watches (`attach </dev/null`) does not end the input of a session that others use.
    endsInput: isPty ? 'never' : isTyping ? 'always' : 'after-input',
    passesSignals: isTyping,
    permissions: permissions(flags),
    omitsStderr: events?.isOnStderr,
    tell,
  });
  if (end.type === 'exit' && !flags.json && !flags.quiet && !events?.isOnStderr)
    notice(`[spool: session ${printable(calledAs)} ended, ${endWords(end)}]`);
  return exitCode;
};

/** Returns the latest running session, because a user who returns wants that one; if none is running, the latest of all. */
async function latest(client: Client): Promise<SessionInfo> {
  const [running] = await client.list({ states: ['running'], order: 'newest', limit: 1 });
  return running ?? (await client.get());
}

export default attach;
