/**
 * Runs the campaign against the gateway: visitors with four kinds of tokens, and without one, misuse it in every way that is
 * listed in `acts.ts`, while an owner works. The gateway must stay the same process, its memory bounded, and the owner served
 * throughout.
 */
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Random } from '../faults/random.ts';
import { ACTS } from './acts.ts';
import { GatewayWorld } from './gateway-world.ts';

/** The number of visitors at once. */
const VISITORS = 6;
/** The number of silent connections that visitors have left open; the oldest are closed. */
const LEFT_OPEN_MAX = 300;
const OWNER_EVERY_MS = 100;
/**
 * The time for the owner's requests: the owner shares two cores with the attack; a gateway that hangs is replaced after ten
 * seconds.
 */
const OWNER_WITHIN_MS = 15_000;

export interface GatewayCampaign {
  readonly seed: number;
  readonly seconds: number;
  readonly isTls: boolean;
}

export interface GatewayCampaignReport extends GatewayCampaign {
  readonly acts: Readonly<Record<string, number>>;
  /** The gateways that served, one after the other. */
  readonly pids: readonly number[];
  readonly memoryBytes: { readonly first: number; readonly most: number };
  readonly owner: { readonly served: number; readonly slowestMs: number; readonly failures: readonly string[] };
  /** The number of connections that a bug of the gateway ended. */
  readonly faults: number;
  /** The number of browsers that logged in. */
  readonly logins: number;
  /** Visits that failed, with the reason: such a visit proves nothing. */
  readonly notMade: readonly string[];
}

export async function campaignAtGateway({ seed, seconds, isTls }: GatewayCampaign): Promise<GatewayCampaignReport> {
  const world = new GatewayWorld(new Random(seed), isTls);
  await using _daemon = world.daemon;
  await world.start();
  const acts: Record<string, number> = {};
  const { token } = await world.visitor('owner');
  const until = performance.now() + seconds * 1000;
  const isOver = (): boolean => performance.now() >= until;
  const names = Object.keys(ACTS);
  const notMade: string[] = [];
  const visiting = Array.from({ length: VISITORS }, async () => {
    while (!isOver()) {
      const name = world.random.one(names);
      await ACTS[name]!(world).then(
        () => (acts[name] = (acts[name] ?? 0) + 1),
        (error: unknown) => notMade.push(`${name}: ${(error as Error).message}`),
      );
      for (const socket of [...world.open].slice(0, Math.max(0, world.open.size - LEFT_OPEN_MAX))) socket.destroy();
    }
  });
  const owner = work(world, token, isOver);
  await Promise.all(visiting);
  const { pids, memoryBytes, ...worked } = await owner;
  for (const socket of world.open) socket.destroy();
  const metrics = await ask(world, token, '/metrics');
  const faults = Number(/^spool_gateway_connection_faults_total (\d+)$/m.exec(metrics)?.[1] ?? NaN);
  return { seed, seconds, isTls, acts, pids, memoryBytes, owner: worked, faults, logins: world.logins, notMade };
}

type WorkReport = Pick<GatewayCampaignReport, 'pids' | 'memoryBytes'> & GatewayCampaignReport['owner'];

async function work(world: GatewayWorld, token: string, isOver: () => boolean): Promise<WorkReport> {
  const failures: string[] = [];
  const pids = new Set<number>();
  let [served, slowestMs, first, most] = [0, 0, 0, 0];
  while (!isOver()) {
    const begun = performance.now();
    try {
      await ask(world, token, '/api/sessions');
      served++;
    } catch (error) {
      failures.push((error as Error).message);
    }
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    const pid = await gatewayOf(world).catch(
      (error: unknown) => void failures.push(`status: ${(error as Error).message}`),
    );
    if (pid !== undefined) {
      pids.add(pid);
      const bytes = world.memoryBytes(pid);
      first ||= bytes;
      most = Math.max(most, bytes);
    }
    await world.sleep(OWNER_EVERY_MS);
  }
  return { served, slowestMs: Math.round(slowestMs), failures, pids: [...pids], memoryBytes: { first, most } };
}

async function gatewayOf({ client }: GatewayWorld): Promise<number | undefined> {
  return (await client.status()).gateway?.pid;
}

async function ask(world: GatewayWorld, token: string, path: string): Promise<string> {
  const request = world.isTls ? tlsRequest : plainRequest;
  return await new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port: world.port,
        path,
        agent: false,
        rejectUnauthorized: false,
        timeout: OWNER_WITHIN_MS,
        headers: { authorization: `Bearer ${token}` },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () =>
          response.statusCode === 200 ? resolve(text) : reject(new Error(`answered with ${response.statusCode}`)),
        );
      },
    );
    asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.on('error', reject).end();
  });
}
