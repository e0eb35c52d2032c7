/** `spool token`: the tokens that open the gateway. */
import { isRole, ROLES, type TokenInfo } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { labels } from '../command-line/labels.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import { openForRequests, type VerbAction } from '../program.ts';

const token: VerbAction<'token'> = async ({ flags, operands }, program) => {
  const [action, ...references] = operands;
  await using client = await openForRequests(program);
  switch (action) {
    case 'create': {
      const role = flags.role ?? 'viewer';
      if (!isRole(role)) throw new UsageError(`unknown role "${role}"; use ${ROLES.join(', ')}`, 'token');
      const sessions = await Promise.all(flags.session.map(async (session) => (await client.get(session)).id));
      const { token: text, info } = await client.doors.createToken({
        kind: 'token',
        role,
        name: flags.name,
        expiresAt: flags.expires === undefined ? undefined : Date.now() + flags.expires,
        scope: {
          ...(sessions.length > 0 && { sessions }),
          ...(flags.label.length > 0 && { labels: labels(flags.label, 'token') }),
        },
      });
      if (flags.json) printJson({ id: info.id, token: text, role: info.role });
      else {
        print(text);
        notice('It is shown only now. Store it where no one else can read it.');
      }
      return 0;
    }
    case 'ls': {
      const tokens = (await client.doors.tokens()).filter(({ kind }) => kind !== 'code');
      if (flags.json) printJson(tokens);
      else if (tokens.length === 0) notice('There are no tokens; create one with `spool token create`.');
      else for (const line of table(tokens)) print(line);
      return 0;
    }
    case 'revoke': {
      if (references.length === 0) throw new UsageError('which token? `spool token ls` lists them', 'token');
      for (const reference of references) {
        const info = await client.doors.revokeToken(reference);
        if (flags.json) printJson({ id: info.id, revoked: true });
      }
      return 0;
    }
    default:
      throw new UsageError(`unknown action \`token ${action}\`; use create, ls or revoke`, 'token');
  }
};

export default token;

function table(tokens: readonly TokenInfo[]): string[] {
  const now = Date.now();
  const age = (at: number | null): string => (at === null ? 'never' : `${shortDuration(now - at)} ago`);
  return formatTable(
    ['ID', 'NAME', 'KIND', 'ROLE', 'ONLY', 'USED', 'EXPIRES'].map((title) => ({ title })),
    tokens.map(({ id, name, kind, role, scope, lastUsedAt, expiresAt }) => [
      id,
      printable(name),
      kind,
      role,
      printable(
        [...(scope.sessions ?? []), ...Object.entries(scope.labels ?? {}).map((pair) => pair.join('='))].join(' '),
      ),
      age(lastUsedAt),
      expiresAt === null ? 'never' : `in ${shortDuration(expiresAt - now)}`,
    ]),
    terminalWidth(),
  );
}
