/** Runs a gateway: listens, reports to every keeper that it serves, and finally releases external resources. */
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@spool/client/node';
import type { Client } from '@spool/client';
import {
  doorsFolder,
  type GatewayInfo,
  type GatewayOptions,
  type GatewayStart,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import type { ConnectionFaults } from './http/connection-faults.ts';
import { NoticeSender } from './push/notice-sender.ts';
import { PushTargets } from './push/push-targets.ts';
import { type OpenGateway, openDoors } from './open-gateway.ts';
import type { SocketHandover } from './http/ports.ts';
import { TokenCache } from './auth/token-cache.ts';

/** The pause between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 200;

export class Gateway {
  readonly #start: GatewayStart;
  readonly #keeping: SocketHandover;
  readonly #faults: ConnectionFaults;
  #doors: OpenGateway | null = null;
  #ending: Promise<never> | null = null;

  constructor(start: GatewayStart, keeping: SocketHandover, faults: ConnectionFaults) {
    this.#faults = faults;
    this.#start = start;
    this.#keeping = keeping;
  }

  async run(): Promise<never> {
    const { options } = this.#start;
    if (options === 'sender') return await this.#send();
    const info = await this.#open(options);
    for (;;) {
      try {
        await using keeper = await this.#keeper();
        await keeper.doors.serve({ info });
        return await this.end();
      } catch {
        await pause(KEEPER_AGAIN_MS); // no keeper for longer than a client waits: the next one will come
      }
    }
  }

  /** Releases the resources outside of this process. */
  async end(): Promise<never> {
    this.#ending ??= this.#close();
    return await this.#ending;
  }

  async #close(): Promise<never> {
    await this.#doors?.close();
    process.exit(0);
  }

  async #open(options: GatewayOptions): Promise<GatewayInfo> {
    try {
      this.#doors = await openDoors(this.#start, options, await this.#keeper(), this.#keeping, this.#faults);
      return this.#doors.info;
    } catch (error) {
      const known = SpoolError.is(error)
        ? error
        : new SpoolError('GATEWAY_START_FAILED', { reason: (error as Error).message });
      process.stderr.write(`gateway: ${known.message}\n`);
      await (await this.#keeper()).doors.serve({ failure: toWireError(known), options });
      process.exit(1);
    }
  }

  /** Runs without a server: only sends notifications. */
  async #send(): Promise<never> {
    const folder = doorsFolder(this.#start.home);
    const configFile = `${this.#start.home.config}/config.json`;
    const [tokenCache, pushTargets] = [new TokenCache(folder), new PushTargets(folder)];
    const noticeSender = new NoticeSender({
      keeper: await this.#keeper(),
      configFile,
      tokenCache,
      pushTargets,
      place: () => null,
    });
    return await noticeSender.run();
  }

  async #keeper(): Promise<Client> {
    const { SPOOL_SOCKET: _socket, ...env } = process.env;
    return await connect({ env, start: false, who: 'gateway' });
  }
}
