/** `spool notify test`: sends a notification to every configured channel, from the daemon, and reports the result of each. */
import { configPath } from '@spool/client/node';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openForRequests, type VerbAction } from '../program.ts';

const notify: VerbAction<'notify'> = async ({ flags, operands }, program) => {
  if (operands[0] !== 'test') throw new UsageError(`unknown action \`notify ${operands[0]}\`; use test`, 'notify');
  await using client = await openForRequests(program);
  const place = client.isRemote ? 'config.json of that machine' : configPath(process.env);
  const { outcomes, isQuiet } = await client.testNotification();
  if (flags.json) printJson({ outcomes, isQuiet });
  else {
    for (const { channel, trouble } of outcomes)
      print(`${channel.padEnd(8)} ${trouble === null ? 'delivered' : `failed: ${printable(trouble)}`}`);
    if (outcomes.length === 0)
      notice(
        `No channel is configured; set notify.desktop, notify.command, notify.webhook or notify.ntfy in ${place}.`,
      );
    if (isQuiet) notice('These are your quiet hours: a real notification would not be sent to these channels now.');
  }
  return outcomes.length === 0 || outcomes.some(({ trouble }) => trouble !== null) ? EXIT.failed : 0;
};

export default notify;
