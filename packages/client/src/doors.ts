/** The doors of a daemon: its gateway, and the tokens that open it. */
import type {
  AuditDamage,
  AuditEntry,
  AuditLine,
  DoorRequests,
  GatewayInfo,
  GatewayOptions,
  Notice,
  NoticeOutcome,
  Requests,
  TokenInfo,
} from '@spool/protocol';
import type { Requester } from './link/requests.ts';
import type { AbortSignalLike } from './link/runtime.ts';

export class Doors {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** Resolves when the gateway serves. Without options, one that already runs will do. */
  async start(options?: GatewayOptions): Promise<GatewayInfo> {
    const { gateway } = await this.#requester.again('gateway', { action: 'start', options });
    return gateway!;
  }

  /** The gateway that was running; null if none was. */
  async stop(): Promise<GatewayInfo | null> {
    return (await this.#requester.again('gateway', { action: 'stop' })).gateway;
  }

  async status(): Promise<GatewayInfo | null> {
    return (await this.#requester.again('gateway', { action: 'status' })).gateway;
  }

  /** The token itself is in this answer, and nowhere else. */
  async createToken(ask: Requests['createToken']['ask']): Promise<Requests['createToken']['answer']> {
    return await this.#requester.once('createToken', ask);
  }

  async tokens(): Promise<readonly TokenInfo[]> {
    return (await this.#requester.again('listTokens', {})).tokens;
  }

  /** By id, unique prefix of one, or name. Connections that were opened with it are closed. */
  async revokeToken(token: string): Promise<TokenInfo> {
    return (await this.#requester.once('revokeToken', { token })).info;
  }

  /** For the gateway itself: resolves when it is asked to end. */
  async serve(ask: DoorRequests['serveGateway']['ask'], signal?: AbortSignalLike): Promise<void> {
    await this.#requester.again('serveGateway', ask, { signal });
  }

  /** For the gateway itself. */
  async redeem(ask: Requests['redeemToken']['ask']): Promise<Requests['redeemToken']['answer']> {
    return await this.#requester.once('redeemToken', ask);
  }

  /** For the gateway itself. */
  async record(entries: readonly AuditEntry[]): Promise<void> {
    await this.#requester.once('recordAudit', { entries });
  }

  /** For the gateway itself: resolves when there is something to send. */
  async notices(after: number): Promise<readonly Notice[]> {
    return (await this.#requester.again('notices', { after })).notices;
  }

  /** For the gateway itself. */
  async noticeDone(n: number, outcomes: readonly NoticeOutcome[]): Promise<void> {
    await this.#requester.again('noticeDone', { n, outcomes });
  }

  /** The audit log, oldest first. Ends with the damage, if its chain is broken. */
  async *audit(): AsyncGenerator<AuditLine, AuditDamage | null> {
    let after: number | null = 0;
    let damage: AuditDamage | null = null;
    while (after !== null) {
      const page: Requests['audit']['answer'] = await this.#requester.again('audit', { after });
      yield* page.lines;
      damage ??= page.damage;
      after = page.next;
    }
    return damage;
  }
}
