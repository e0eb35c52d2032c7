/** The doors of a daemon: its gateway, and the tokens that open it. */
import type { DoorRequests, GatewayInfo, GatewayOptions, Requests, TokenInfo } from '@spool/protocol';
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
}
