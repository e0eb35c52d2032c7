/** The life of a gateway: opens its doors, reports to the keeper that it serves, to the next keeper too, and gives back what it took. */
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
import { NoticeDesk } from './notices/notice-desk.ts';
import { PushBook } from './notices/push-book.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import type { DoorKeeping } from './ports.ts';
import { TokenBook } from './token-book.ts';

/** Between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 200;

export class Gateway {
  readonly #start: GatewayStart;
  readonly #keeping: DoorKeeping;
  #doors: OpenDoors | null = null;

  constructor(start: GatewayStart, keeping: DoorKeeping) {
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
        await pause(KEEPER_AGAIN_MS); // no keeper for longer than a client waits: its successor will come
      }
    }
  }

  /** Gives back what was taken outside of this process. */
  async end(): Promise<never> {
    const doors = this.#doors;
    this.#doors = null;
    await doors?.close();
    process.exit(0);
  }

  async #open(options: GatewayOptions): Promise<GatewayInfo> {
    try {
      this.#doors = await openDoors(this.#start, options, await this.#keeper(), this.#keeping);
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

  /** Without a door: only what is to leave the machine. */
  async #send(): Promise<never> {
    const folder = doorsFolder(this.#start.home);
    const configFile = `${this.#start.home.config}/config.json`;
    const [book, pushBook] = [new TokenBook(folder), new PushBook(folder)];
    const desk = new NoticeDesk({ keeper: await this.#keeper(), configFile, book, pushBook, place: () => null });
    return await desk.run();
  }

  async #keeper(): Promise<Client> {
    const { SPOOL_SOCKET: _socket, ...env } = process.env;
    return await connect({ env, start: false, who: 'gateway' });
  }
}
