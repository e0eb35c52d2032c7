/** `spool node`: other machines whose sessions are used as if they were here, and the machines that this one serves. */
import { hostname } from 'node:os';
import { askNodes, type NodeRoadOptions } from '@spool/client/nodes';
import { isRole, type NodeInfo, NODE_NAME, type Role, ROLES, skewLine, SpoolError } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice, print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import { openForRequests, type ProgramLocation, type VerbAction } from '../program.ts';
import { nodeNames } from '../remote/node-choice.ts';
import { ownAuthority } from '../remote/own-authority.ts';
import { readToken } from '../remote/token-file.ts';

type NodeFlags = Parameters<VerbAction<'node'>>[0]['flags'];

const node: VerbAction<'node'> = async ({ flags, operands }, program) => {
  const [action, first, second] = operands;
  const road = { env: process.env, daemonEntry: program.daemonEntry };
  switch (action) {
    case 'invite':
      return await invite(flags, program);
    case 'nats-key':
    case 'nats-config': {
      const { natsConfig, natsKey } = await import('../remote/fleet.ts');
      return action === 'nats-key'
        ? await natsKey(flags, road)
        : natsConfig(flags.fleet, operands.slice(1), flags.json);
    }
    case 'join': {
      if (first !== undefined && isFleetAddress(first)) {
        const { joinFleet } = await import('../remote/fleet.ts');
        return await joinFleet(
          first,
          { ...flags, name: checkedName(flags.name ?? hostname()), role: roleOf(flags.role) },
          road,
        );
      }
      if (first === undefined || second === undefined) throw new UsageError('`node join` needs URL and CODE', 'node');
      const name = checkedName(flags.name ?? hostname());
      const joined = await askNodes('join', { url: first, code: second, name, role: roleOf(flags.role) }, road);
      if (flags.json) printJson(joined);
      else {
        print(
          `${printable(joined.name)} now uses this machine as ${joined.as}, with the rights of ${article(joined.role)}.`,
        );
        notice(`Its key: ${joined.fingerprint ?? ''}. The key of this machine: ${joined.ownFingerprint}.`);
      }
      return 0;
    }
    case 'add': {
      if (first === undefined) throw new UsageError('`node add` needs URL', 'node');
      if (isFleetAddress(first)) {
        const { addFleet } = await import('../remote/fleet.ts');
        return await addFleet(first, { ...flags, role: roleOf(flags.role) }, road);
      }
      const added = await (first.startsWith('ssh:') ? addOverSsh : addNode)(first, flags, road, program);
      if (flags.json) printJson(added);
      else {
        print(`${added.name} is a node of this machine, with the rights of ${article(added.role)}.`);
        notice(`Its key: ${added.fingerprint}.`);
      }
      return 0;
    }
    case 'ls': {
      if (flags.quiet) {
        for (const name of nodeNames()) print(name);
        return 0;
      }
      const { nodes } = await askNodes('list', {}, road);
      if (flags.json) printJson(nodes);
      else if (nodes.length === 0) notice('There are no nodes; `spool node invite` prints how to add one.');
      else {
        for (const line of table(nodes)) print(line);
        for (const line of isTerminal(1) ? nodes.map((each) => skewLine(each)) : [])
          if (line !== null) notice(printable(line));
      }
      return 0;
    }
    case 'remove': {
      if (flags.fleet !== undefined) {
        const { removeFleet } = await import('../remote/fleet.ts');
        return await removeFleet(flags.fleet, flags.json, road);
      }
      if (first === undefined) throw new UsageError('which node? `spool node ls` lists them', 'node');
      const { nodes } = await askNodes('list', {}, road);
      const found = nodes.find(({ name }) => name === first);
      const url = found?.road === 'ssh' ? found.url : undefined;
      if (url !== undefined) await checkLosses(url, flags.force);
      const removed = await askNodes('remove', { name: first }, road);
      if (url !== undefined) await removeThere(url, flags.force);
      if (flags.json) printJson({ ...removed, removed: true });
      else print(`Removed ${printable(removed.name)}.`);
      return 0;
    }
    case 'serve': {
      const { serveStdio } = await import('../remote/ssh-service.ts');
      return await serveStdio(first ?? '', second, roleOf(flags.role), road);
    }
    case 'unserve': {
      const { endService } = await import('../remote/ssh-service.ts');
      await using client = await openForRequests(program);
      return await endService(first ?? '', client);
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
      throw new UsageError(
        `unknown action \`node ${action}\`; use add, invite, join, ls, remove, joined, leave, nats-key or nats-config`,
        'node',
      );
  }
};

export default node;

async function addNode(url: string, flags: NodeFlags, road: NodeRoadOptions): Promise<NodeInfo> {
  if (flags.tokenFile === undefined && isTerminal(0))
    throw new UsageError('`node add` reads the token from stdin, or from --token-file FILE', 'node');
  const name = checkedName(flags.name ?? hostOf(url));
  const token = readToken(flags.tokenFile ?? '-');
  return await askNodes('add', { url, name, token, ca: ownAuthority() }, road);
}

async function addOverSsh(
  url: string,
  flags: NodeFlags,
  road: NodeRoadOptions,
  program: ProgramLocation,
): Promise<NodeInfo> {
  const name = checkedName(flags.name ?? hostOf(url));
  const role = roleOf(flags.role);
  const { installOverSsh } = await import('../remote/ssh-node.ts');
  const { isCopied } = await installOverSsh(url, program.folder);
  if (isCopied) notice(`Copied Spool to ${printable(url)}.`);
  return await askNodes('add', { url, name, role, agent: process.env.SSH_AUTH_SOCK }, road);
}

/** Refuses to remove a node with sessions, because their output would be lost. */
async function checkLosses(url: string, isForced: boolean): Promise<void> {
  if (isForced) return;
  const { sessionsLostOverSsh } = await import('../remote/ssh-node.ts');
  const lost = await sessionsLostOverSsh(url);
  if (lost === null)
    throw new SpoolError('NOT_ALLOWED', {
      reason: 'this may remove sessions with all output, and the node does not list them; use --force to do so',
    });
  if (lost > 0)
    throw new SpoolError('NOT_ALLOWED', {
      reason: `this would remove ${lost} ${lost === 1 ? 'session' : 'sessions'} with all output from the node; use --force to do so`,
    });
}

/** Removes the package on the node. With --force, a node that cannot be reached is forgotten anyway. */
async function removeThere(url: string, isForced: boolean): Promise<void> {
  const { removeOverSsh } = await import('../remote/ssh-node.ts');
  try {
    await removeOverSsh(url);
  } catch (error) {
    if (!isForced) throw error;
    notice(`The package is still there, in ~/.local/share/spool-node: ${(error as Error).message}`);
  }
}

function checkedName(name: string): string {
  if (NODE_NAME.test(name)) return name;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of a node; use --name with letters, digits, dots, dashes and underscores`,
    'node',
  );
}

function isFleetAddress(url: string): boolean {
  return /^(nats|tls):/.test(url);
}

/** Returns the first label of the host of an address. */
function hostOf(url: string): string {
  return /^[\w+.-]+:\/\/(?:[^/@]*@)?([A-Za-z0-9][\w-]*)/.exec(url)?.[1] ?? '';
}

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
    nodes.map(({ name, road, state, since, version, sessions, role, fingerprint, reason }) => [
      printable(name),
      road,
      `${state} ${shortDuration(now - since)}${reason === undefined ? '' : `: ${printable(reason)}`}`,
      String(sessions),
      role,
      printable(version ?? ''),
      fingerprint,
    ]),
    terminalWidth(),
  );
}
