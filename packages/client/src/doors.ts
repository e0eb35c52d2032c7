/** The gateway of a daemon, and its tokens. */
import type {
  AuditDamage,
  AuditEntry,
  AuditLine,
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

  /** Resolves when the gateway serves. Without options, a gateway that already runs is accepted. */
  async start(options?: GatewayOptions): Promise<GatewayInfo> {
    const { gateway } = await this.#requester.again('gateway', { action: 'start', options });
    return gateway!;
  }

  /** Returns the gateway that was running; null if none was. */
  async stop(): Promise<GatewayInfo | null> {
    return (await this.#requester.again('gateway', { action: 'stop' })).gateway;
  }

  async status(): Promise<GatewayInfo | null> {
    return (await this.#requester.again('gateway', { action: 'status' })).gateway;
  }

  /** Creates a token; the secret is only in this answer. */
  async createToken(ask: Requests['createToken']['ask']): Promise<Requests['createToken']['answer']> {
    return await this.#requester.once('createToken', ask);
  }

  async tokens(): Promise<readonly TokenInfo[]> {
    return (await this.#requester.again('listTokens', {})).tokens;
  }

  /** Revokes a token, by its id, a unique prefix of it, or its name. Connections that were opened with it are closed. */
  async revokeToken(token: string): Promise<TokenInfo> {
    return (await this.#requester.once('revokeToken', { token })).info;
  }

  /** Reports, for the gateway itself, that it serves; resolves when the keeper asks it to end. */
  async serve(ask: Requests['serveGateway']['ask'], signal?: AbortSignalLike): Promise<void> {
    await this.#requester.again('serveGateway', ask, { signal });
  }

  /** Redeems a code, for the gateway itself. */
  async redeem(ask: Requests['redeemToken']['ask']): Promise<Requests['redeemToken']['answer']> {
    return await this.#requester.once('redeemToken', ask);
  }

  /** Records entries, for the gateway itself. */
  async record(entries: readonly AuditEntry[]): Promise<void> {
    await this.#requester.once('recordAudit', { entries });
  }

  /** Notifies the user of this machine about a session of a node, for the gateway itself. */
  async nodeNotice(notice: Requests['nodeNotice']['ask']): Promise<void> {
    await this.#requester.once('nodeNotice', notice);
  }

  /** Fetches notices, for the gateway itself: resolves when there are some to send. */
  async notices(after: number): Promise<readonly Notice[]> {
    return (await this.#requester.again('notices', { after })).notices;
  }

  /** Reports a sent notice, for the gateway itself. */
  async noticeDone(n: number, outcomes: readonly NoticeOutcome[]): Promise<void> {
    await this.#requester.again('noticeDone', { n, outcomes });
  }

  /** Yields the audit log, oldest first. Returns the damage if its chain is broken. */
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
