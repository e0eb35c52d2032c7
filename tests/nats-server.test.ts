/**
 * Tests the permissions of a NATS server with the configuration that `spool node nats-config` prints, and the checks that are left to the
 * machines. The members of the fleet are plain connections here, which try everything.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fleetServerConfig, fleetSubjects } from '@spool/protocol/fleets';
import { until } from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { acceptLink, OpeningLink } from '../packages/gateway/src/nats/link-opening.ts';
import { connectNats, type NatsConnection } from '../packages/gateway/src/nats/nats-connection.ts';
import { NKey } from '../packages/gateway/src/nats/nkey.ts';
import { hereMessage } from '../packages/gateway/src/nats/presence.ts';
import { UsedFleet } from '../packages/gateway/src/nats/used-fleet.ts';
import { WindowPool } from '../packages/gateway/src/nats/window-pool.ts';
import { missingNats, TestNats } from './support/nats.ts';

const BUSY_MS = 60_000;
const NOTHING = Buffer.alloc(0);
const { here, gone, call, up, down } = fleetSubjects('main');

/** Two nodes and three users of a fleet, each with a connection. */
class PlainFleet implements AsyncDisposable {
  readonly #folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  readonly keys = new Map<string, string>();
  nats!: TestNats;

  static async start(): Promise<PlainFleet> {
    const fleet = new PlainFleet();
    const as = { nodeA: 'node', nodeB: 'node', viewer: 'viewer', operator: 'operator', both: 'node' } as const;
    const members = Object.entries(as).map(([name, each]) => {
      const key = NKey.at(fleet.seedFile(name), true).public;
      fleet.keys.set(name, key);
      return { key, as: each };
    });
    const more = { key: fleet.key('both'), as: 'prompter' } as const;
    fleet.nats = await TestNats.start(fleetServerConfig('main', [...members, more]));
    return fleet;
  }

  key(name: string): string {
    return this.keys.get(name)!;
  }

  seedFile(name: string): string {
    return `${this.#folder}/${name}`;
  }

  async connect(name: string): Promise<NatsConnection> {
    return await connectNats({ url: this.nats.url, fleet: 'main', seedFile: this.seedFile(name) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nats[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }
}

/** The way of the messages of a link. */
const way = (send: (message: Buffer) => unknown = () => {}) => ({
  send: (each: Buffer) => void send(each),
  windows: new WindowPool(),
});

/** The fleet as its operator uses it, without some nodes. */
function usedBy(fleet: PlainFleet, without: string[]): UsedFleet {
  const seedFile = fleet.seedFile('operator');
  return new UsedFleet({ url: fleet.nats.url, fleet: 'main', seedFile, as: 'user', role: 'operator', without });
}

/** Returns the subjects that the server refuses. The refusal of the last one comes after all others. */
async function refusedTo(connection: NatsConnection, subjects: readonly string[]): Promise<readonly string[]> {
  const refused: string[] = [];
  connection.onRefused = (subject) => refused.push(subject);
  for (const subject of subjects) connection.publish(subject, NOTHING);
  connection.publish('end', NOTHING);
  await until('the server has answered', () => refused.at(-1) === 'end', BUSY_MS);
  return refused.slice(0, -1);
}

testNeeding(missingNats)(
  '[NODE-55] the server lets no node speak as another, and no user with a higher role or as another',
  async () => {
    await using fleet = await PlainFleet.start();
    const [a, b, viewer, operator, both] = ['nodeA', 'nodeB', 'viewer', 'operator', 'both'].map((each) =>
      fleet.key(each),
    ) as [string, string, string, string, string];
    const ups = ['viewer', 'prompter', 'operator', 'owner', 'node', '*'].flatMap((role) =>
      [viewer, operator, both].map((user) => up(a, role, user, 'l')),
    );
    const nodes = [
      here(a),
      here(b),
      gone(a),
      gone(b),
      down(viewer, a, 'l'),
      down(viewer, b, 'l'),
      down(operator, a, 'l'),
    ];
    const others = ['spool.other.call', `spool.main.down.${viewer}.${a}.l.more`, '_INBOX.x', '$SYS.REQ.SERVER.PING'];
    const all = [...ups, ...nodes, call, ...others];
    const allowed: Readonly<Record<string, readonly string[]>> = {
      nodeA: [here(a), gone(a), down(viewer, a, 'l'), down(operator, a, 'l')],
      nodeB: [here(b), gone(b), down(viewer, b, 'l')],
      viewer: [call, up(a, 'viewer', viewer, 'l')],
      operator: [call, ...['viewer', 'prompter', 'operator'].map((role) => up(a, role, operator, 'l'))],
      both: [call, ...['viewer', 'prompter'].map((role) => up(a, role, both, 'l'))],
    };
    for (const [name, may] of Object.entries(allowed)) {
      const connection = await fleet.connect(name);
      expect([name, await refusedTo(connection, all)]).toEqual([name, all.filter((subject) => !may.includes(subject))]);
      connection.close();
    }
  },
);

testNeeding(missingNats)('[NODE-55] the server lets no one listen to the links of another', async () => {
  await using fleet = await PlainFleet.start();
  const [a, b, viewer, operator] = ['nodeA', 'nodeB', 'viewer', 'operator'].map((each) => fleet.key(each)) as [
    string,
    string,
    string,
    string,
  ];
  const all = [
    '>',
    'spool.>',
    'spool.main.>',
    up(a, '*', '*', '*'),
    up(b, '*', '*', '*'),
    down(viewer, '*', '*'),
    down(operator, '*', '*'),
    down('*', a, '*'),
  ];
  const allowed: Readonly<Record<string, readonly string[]>> = {
    nodeA: [up(a, '*', '*', '*')],
    viewer: [down(viewer, '*', '*')],
    operator: [down(operator, '*', '*')],
  };
  for (const [name, may] of Object.entries(allowed)) {
    const connection = await fleet.connect(name);
    const refused: string[] = [];
    connection.onRefused = (subject) => refused.push(subject);
    for (const subject of all) connection.subscribe(subject, () => {});
    connection.publish('end', NOTHING);
    await until('the server has answered', () => refused.includes('end'), BUSY_MS);
    expect([name, new Set(refused)]).toEqual([
      name,
      new Set([...all.filter((subject) => !may.includes(subject)), 'end']),
    ]);
    connection.close();
  }
  await expect(
    connectNats({
      url: fleet.nats.url,
      fleet: 'main',
      seedFile: (NKey.at(fleet.seedFile('stranger'), true), fleet.seedFile('stranger')),
    }),
  ).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
});

testNeeding(missingNats)(
  '[NODE-53] a link is refused unless its subject and its key are those that were signed',
  async () => {
    await using fleet = await PlainFleet.start();
    const [node, user] = [NKey.at(fleet.seedFile('nodeA')), NKey.at(fleet.seedFile('operator'))];
    const place = { fleet: 'main', node: node.public, role: 'operator', user: user.public, link: 'l' };
    const changes = [
      {},
      { role: 'owner' },
      { user: fleet.key('viewer') },
      { node: fleet.key('nodeB') },
      { link: 'm' },
      { fleet: 'other' },
    ];
    for (const change of changes) {
      const opening = new OpeningLink(place, 'laptop', user);
      const accepted = acceptLink({ ...place, ...change }, opening.message, node, way());
      expect([change, accepted?.name]).toEqual([change, Object.keys(change).length === 0 ? 'laptop' : undefined]);
    }
    // The answer of another node, with the right subject: the server of the fleet could send it.
    const other = NKey.at(fleet.seedFile('nodeB'));
    const answers: Buffer[] = [];
    const opening = new OpeningLink(place, 'laptop', user);
    acceptLink(
      place,
      opening.message,
      other,
      way((message) => answers.push(message)),
    );
    expect(() => opening.accepted(answers[0]!, way())).toThrow('not signed');
    const again = new OpeningLink(place, 'laptop', user);
    acceptLink(
      place,
      again.message,
      node,
      way((message) => answers.push(message)),
    );
    expect(() => opening.accepted(answers[1]!, way())).toThrow('not signed'); // an answer to another opening
    expect(again.accepted(answers[1]!, way()).destroyed).toBe(false);
  },
);

testNeeding(missingNats)('[NODE-50] a node of the fleet that was removed is not added again', async () => {
  await using fleet = await PlainFleet.start();
  const [a, b] = [await fleet.connect('nodeA'), await fleet.connect('nodeB')];
  const used = usedBy(fleet, [a.key.public]);
  const found: string[] = [];
  used.onFound = async ({ nkey }) => void found.push(nkey);
  used.start();
  for (const node of [a, b])
    await until(
      'it is heard',
      () => {
        node.publish(here(node.key.public), hereMessage('build1', 'a'));
        return used.presence.has(node.key.public);
      },
      BUSY_MS,
    );
  await until('the other one is found', () => found.length > 0 && found.at(-1) === b.key.public, BUSY_MS);
  expect(new Set(found)).toEqual(new Set([b.key.public]));
  used.end();
  for (const node of [a, b]) node.close();
});

testNeeding(missingNats)(
  '[NODE-54] a node that comes and goes, and answers nothing, is dialled a few times',
  async () => {
    await using fleet = await PlainFleet.start();
    const node = await fleet.connect('nodeA');
    let opened = 0;
    node.subscribe(up(fleet.key('nodeA'), '*', '*', '*'), () => opened++);
    const used = usedBy(fleet, []);
    used.onFound = async ({ nkey }) => {
      const link = used.link(nkey);
      node.publish(gone(nkey), NOTHING);
      await link;
    };
    used.start();
    let said = 0;
    node.subscribe(call, () => said++);
    await until('the user is there', () => said > 0, BUSY_MS);
    for (let round = 0; round < 60; round++) {
      node.publish(here(fleet.key('nodeA')), hereMessage('build1', String(round)));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThanOrEqual(4);
    used.end();
    node.close();
  },
);
