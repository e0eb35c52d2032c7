/** The part of `spool node` for fleets: many machines that reach each other through a NATS server. Keeps NODE-50. */
import { resolve } from 'node:path';
import { askNodes, type NodeRoadOptions } from '@spool/client/nodes';
import { isRole, type Role, ROLES } from '@spool/protocol';
import { FLEET_DEFAULT, type FleetMember, FLEET_NAME, fleetServerConfig, NKEY } from '@spool/protocol/fleets';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { ownAuthority } from './own-authority.ts';

interface FleetFlags {
  readonly fleet?: string | undefined;
  readonly seedFile?: string | undefined;
  readonly role?: Role | undefined;
  readonly json: boolean;
}

/** Prints the public key of this machine, with which the configuration of the server admits it. */
export async function natsKey(
  { seedFile, json }: Pick<FleetFlags, 'seedFile' | 'json'>,
  road: NodeRoadOptions,
): Promise<number> {
  const found = await askNodes('natsKey', seedFile === undefined ? {} : { seedFile: resolve(seedFile) }, road);
  if (json) printJson(found);
  else print(found.key);
  return 0;
}

/** Prints the configuration of the server for these members: `KEY=node`, or `KEY=ROLE`. */
export function natsConfig(fleet: string | undefined, words: readonly string[], isJson: boolean): number {
  const members = words.map(memberIn);
  if (members.length === 0)
    throw new UsageError(
      '`node nats-config` needs KEY=node or KEY=ROLE; `node nats-key` prints the key of a machine',
      'node',
    );
  const config = fleetServerConfig(checkedFleet(fleet), members);
  if (isJson) printJson({ config });
  else print(config.trimEnd());
  return 0;
}

export async function joinFleet(
  url: string,
  { name, role, json, ...flags }: FleetFlags & { readonly name: string },
  road: NodeRoadOptions,
): Promise<number> {
  const joined = await askNodes('joinFleet', { ...placeOf(url, flags), name, role }, road);
  if (json) printJson(joined);
  else
    print(
      `This machine is ${joined.as} in the ${printable(joined.name)}, whose users have at most the role ${joined.role}.`,
    );
  return 0;
}

export async function addFleet(
  url: string,
  { role, json, ...flags }: FleetFlags,
  road: NodeRoadOptions,
): Promise<number> {
  const added = await askNodes('addFleet', { ...placeOf(url, flags), role }, road);
  if (json) printJson(added);
  else {
    for (const { name, fingerprint } of added.nodes) print(`${name}, key ${fingerprint}`);
    notice(`The nodes of the fleet ${added.fleet} are nodes of this machine, also those that come later.`);
  }
  return 0;
}

export async function removeFleet(fleet: string, isJson: boolean, road: NodeRoadOptions): Promise<number> {
  const removed = await askNodes('removeFleet', { fleet: checkedFleet(fleet) }, road);
  if (isJson) printJson({ ...removed, removed: true });
  else print(`Removed the fleet ${printable(removed.fleet)} with its nodes.`);
  return 0;
}

function placeOf(url: string, { fleet, seedFile }: Pick<FleetFlags, 'fleet' | 'seedFile'>) {
  const seed = seedFile === undefined ? undefined : resolve(seedFile);
  return { url, fleet: checkedFleet(fleet), seedFile: seed, ca: ownAuthority() };
}

function checkedFleet(fleet = FLEET_DEFAULT): string {
  if (FLEET_NAME.test(fleet)) return fleet;
  throw new UsageError('the name of a fleet has letters, digits, dashes and underscores, at most 32', 'node');
}

function memberIn(word: string): FleetMember {
  const [key = '', as = ''] = word.split('=');
  if (!NKEY.test(key)) throw new UsageError(`${JSON.stringify(key)} is not a public nkey (U…)`, 'node');
  if (as !== 'node' && !isRole(as))
    throw new UsageError(`${JSON.stringify(word)}: a machine is a node or has a role: ${ROLES.join(', ')}`, 'node');
  return { key, as };
}
