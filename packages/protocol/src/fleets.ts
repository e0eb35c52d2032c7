/**
 * Fleets: machines that reach each other through a NATS server. The subjects, and the permissions that make the server enforce who speaks
 * for whom (decision 202). A key is an nkey of the kind `user`. Keeps NODE-55.
 */
import { mayDo, type Role, ROLES } from './roles.ts';

/** The form of the name of a fleet, which is a part of each subject. */
export const FLEET_NAME = /^[A-Za-z0-9][\w-]{0,31}$/;

/** The form of a public nkey. */
export const NKEY = /^U[A-Z2-7]{55}$/;

/** The name of a fleet that was given none. */
export const FLEET_DEFAULT = 'main';

/** A node of a fleet, or a machine that uses its nodes with at most these rights. */
export interface FleetMember {
  readonly key: string;
  readonly as: 'node' | Role;
}

/** The subjects of a fleet. `*` and `>` stand for any. */
export const fleetSubjects = (fleet: string) => ({
  /** A node is there: published every two seconds. */
  here: (node: string): string => `spool.${fleet}.here.${node}`,
  /** A node leaves. */
  gone: (node: string): string => `spool.${fleet}.gone.${node}`,
  /** Asks all nodes to say that they are there. */
  call: `spool.${fleet}.call`,
  /** Messages of a link to a node. The role is in the subject, so that the server enforces it. */
  up: (node: string, role: string, user: string, link: string): string =>
    `spool.${fleet}.up.${node}.${role}.${user}.${link}`,
  /** Messages of a link from a node. The node is in the subject, so that none can speak as another. */
  down: (user: string, node: string, link: string): string => `spool.${fleet}.down.${user}.${node}.${link}`,
});

export interface FleetPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Returns what a member of a fleet may publish and subscribe to. */
export function fleetPermissions(fleet: string, { key, as }: FleetMember): FleetPermissions {
  const { here, gone, call, up, down } = fleetSubjects(fleet);
  if (as === 'node')
    return { publish: [here(key), gone(key), down('*', key, '*')], subscribe: [call, up(key, '*', '*', '*')] };
  const roles = ROLES.filter((role) => mayDo(as, role));
  return {
    publish: [call, ...roles.map((role) => up('*', role, key, '*'))],
    subscribe: [here('*'), gone('*'), down(key, '*', '*')],
  };
}

/** Returns the part of the configuration of a NATS server that admits a fleet: a separate account. */
export function fleetServerConfig(fleet: string, members: readonly FleetMember[]): string {
  const words = (subjects: ReadonlySet<string>): string => [...subjects].map((each) => JSON.stringify(each)).join(', ');
  const users = [...new Set(members.map(({ key }) => key))].map((key) => {
    const all = members.filter((each) => each.key === key);
    const of = (way: keyof FleetPermissions): ReadonlySet<string> =>
      new Set(all.flatMap((member) => fleetPermissions(fleet, member)[way]));
    return [
      `      # ${all.map(({ as }) => as).join(', ')}`,
      `      { nkey: ${key}, permissions: {`,
      `        publish: { allow: [${words(of('publish'))}] }`,
      `        subscribe: { allow: [${words(of('subscribe'))}] }`,
      '      } }',
    ].join('\n');
  });
  return ['accounts {', `  spool-${fleet} {`, '    users: [', ...users, '    ]', '  }', '}', ''].join('\n');
}
