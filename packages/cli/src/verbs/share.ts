/** `spool share`: a link that logs others in for one session. */
import { UsageError } from '../command-line/usage-error.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openForRequests, type VerbAction } from '../program.ts';

const EXPIRES_MS_DEFAULT = 60 * 60 * 1000;

const share: VerbAction<'share'> = async ({ flags, operands }, program) => {
  const { role = 'viewer', from, uses = 1, expires = EXPIRES_MS_DEFAULT } = flags;
  if (role !== 'viewer' && role !== 'prompter')
    throw new UsageError(`--role "${role}" cannot be shared; use viewer or prompter`, 'share');
  if (from !== undefined && from !== 'now') throw new UsageError(`--from "${from}" is invalid; use now`, 'share');
  if (uses < 1) throw new UsageError('--uses 0 is invalid; a link is used at least once', 'share');
  await using client = await openForRequests(program);
  const session = await client.get(operands[0]!);
  const gateway = await client.doors.start();
  const now = Date.now();
  const { token, info } = await client.doors.createToken({
    kind: 'share',
    role,
    name: `share of ${session.name}`.slice(0, 100),
    uses,
    expiresAt: now + expires,
    scope: { sessions: [session.id], ...(from === 'now' && { from: now }) },
  });
  const url = `${gateway.url}#code=${token}`;
  if (flags.json) printJson({ id: info.id, url, role, session: session.id, expiresAt: info.expiresAt, uses });
  else {
    print(url);
    notice(`End it with \`spool token revoke ${info.id}\`.`);
  }
  return 0;
};

export default share;
