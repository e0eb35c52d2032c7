/** `spool node`: other machines whose sessions are used as if they were here, and the machines that this one serves. */
import { hostname } from 'node:os';
import { askNodes } from '@spool/client/nodes';
import { isRole, type NodeInfo, NODE_NAME, type Role, ROLES } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import { openForRequests, type ProgramLocation, type VerbAction } from '../program.ts';

type NodeFlags = Parameters<VerbAction<'node'>>[0]['flags'];

const node: VerbAction<'node'> = async ({ flags, operands }, program) => {
  const [action, first, second] = operands;
  const road = { env: process.env, daemonEntry: program.daemonEntry };
  switch (action) {
    case 'invite':
      return await invite(flags, program);
    case 'join': {
      if (first === undefined || second === undefined) throw new UsageError('`node join` needs URL and CODE', 'node');
      const name = flags.name ?? hostname();
      if (!NODE_NAME.test(name))
        throw new UsageError(
          `${JSON.stringify(name)} cannot be the name of a node; use --name with letters, digits, dots, dashes and underscores`,
          'node',
        );
      const joined = await askNodes('join', { url: first, code: second, name, role: roleOf(flags.role) }, road);
      if (flags.json) printJson(joined);
      else {
        print(
          `${printable(joined.name)} now uses this machine as ${joined.as}, with the rights of ${article(joined.role)}.`,
        );
        notice(`Its key: ${joined.fingerprint}. The key of this machine: ${joined.ownFingerprint}.`);
      }
      return 0;
    }
    case 'ls': {
      const { nodes } = await askNodes('list', {}, road);
      if (flags.json) printJson(nodes);
      else if (nodes.length === 0) notice('There are no nodes; `spool node invite` prints how to add one.');
      else for (const line of table(nodes)) print(line);
      return 0;
    }
    case 'remove': {
      if (first === undefined) throw new UsageError('which node? `spool node ls` lists them', 'node');
      const removed = await askNodes('remove', { name: first }, road);
      if (flags.json) printJson({ ...removed, removed: true });
      else print(`Removed ${printable(removed.name)}.`);
      return 0;
    }
    case 'joined': {
      const { machines } = await askNodes('joins', {}, road);
      if (flags.json) printJson(machines);
      else if (machines.length === 0) notice('This machine has joined no other one.');
      else
        for (const { name, as, url, role, state, since, reason } of machines)
          print(
            `${printable(name)} (${printable(url)}): ${state} for ${shortDuration(Date.now() - since)}, as ${as}, ${role}${reason === undefined ? '' : `: ${printable(reason)}`}`,
          );
      return 0;
    }
    case 'leave': {
      if (first === undefined) throw new UsageError('which machine? `spool node joined` lists them', 'node');
      const left = await askNodes('leave', { name: first }, road);
      if (flags.json) printJson({ name: left.name, left: true });
      else print(`${printable(left.name)} no longer uses this machine.`);
      return 0;
    }
    default:
      throw new UsageError(`unknown action \`node ${action}\`; use invite, join, ls, remove, joined or leave`, 'node');
  }
};

export default node;

async function invite(flags: NodeFlags, program: ProgramLocation): Promise<number> {
  const role = roleOf(flags.role) ?? 'operator';
  await using client = await openForRequests(program);
  const { url } = await client.doors.start();
  const expiresAt = flags.expires === undefined ? undefined : Date.now() + flags.expires;
  const { token: code } = await client.doors.createToken({ kind: 'invite', role, name: 'invite', expiresAt });
  if (flags.json) {
    printJson({ url, code });
    return 0;
  }
  print(`spool node join ${url} ${code}`);
  notice(`Run this on the other machine. The code works once, within ${shortDuration(flags.expires ?? 3_600_000)}.`);
  if (new URL(url).hostname === '127.0.0.1')
    notice('This address works on this machine only; `spool help web` shows how others can reach the gateway.');
  return 0;
}

function roleOf(word: string | undefined): Role | undefined {
  if (word === undefined || isRole(word)) return word;
  throw new UsageError(`unknown role "${word}"; use ${ROLES.join(', ')}`, 'node');
}

function article(role: Role): string {
  return `${role === 'operator' || role === 'owner' ? 'an' : 'a'} ${role}`;
}

function table(nodes: readonly NodeInfo[]): string[] {
  const now = Date.now();
  return formatTable(
    ['NAME', 'ROAD', 'STATE', 'SESSIONS', 'ROLE', 'VERSION', 'KEY'].map((title) => ({ title })),
    nodes.map(({ name, road, state, since, version, sessions, role, fingerprint }) => [
      printable(name),
      road,
      `${state} ${shortDuration(now - since)}`,
      String(sessions),
      role,
      printable(version ?? ''),
      fingerprint,
    ]),
    terminalWidth(),
  );
}
