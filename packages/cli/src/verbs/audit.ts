/** `spool audit`: shows the requests through the gateway, and whether their log is complete. */
import type { AuditLine } from '@spool/protocol';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { localTime } from '../output/local-time.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openForRequests, type VerbAction } from '../program.ts';

const audit: VerbAction<'audit'> = async ({ flags, operands }, program) => {
  const [action] = operands;
  if (action !== undefined && action !== 'verify')
    throw new UsageError(`unknown action \`audit ${action}\`; use verify`, 'audit');
  await using client = await openForRequests(program);
  const log = client.doors.audit();
  let lines = 0;
  for (;;) {
    const { done, value } = await log.next();
    if (done !== true) {
      lines++;
      if (action === 'verify') continue;
      if (flags.json) printJson(value);
      else print(formatLine(value));
      continue;
    }
    if (action === 'verify' && flags.json) printJson({ isWhole: value === null, lines, damage: value });
    else if (value !== null) notice(`The log is damaged at line ${value.line}: ${value.reason}.`);
    else if (action === 'verify') print(`The log is whole: ${lines} lines.`);
    return value === null ? 0 : EXIT.failed;
  }
};

export default audit;

function formatLine({ at, who, token, what, session, address, note }: AuditLine): string {
  const about = [session, address, note].filter(Boolean).join(' ');
  const by = token === null ? who || 'nobody' : `${who} (${token})`;
  return printable(`${localTime(at, Date.now())}  ${by}  ${what}  ${about}`.trimEnd());
}
