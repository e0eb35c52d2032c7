/** Finds a process for a driver: one that it shares with the drivers of other agents, or a new one. */
import type { FdWatch } from '@spool/native/fd-watch';
import { DriverHost, type DrivenAgent } from './driver-host.ts';

/** The drivers in one process: so many are interrupted, for less than a second, when it ends on a line of one of them. */
const DRIVERS_MAX = 20;

export class DriverHosts {
  readonly #options: { readonly watch: FdWatch; readonly configFolder: string; warn(sentence: string): void };
  readonly #shared = new Set<DriverHost>();

  constructor(options: { readonly watch: FdWatch; readonly configFolder: string; warn(sentence: string): void }) {
    this.#options = options;
  }

  /** Starts a driver. Returns a function that ends it. Throws if there are not enough file descriptors. */
  drive(driver: DrivenAgent, isAlone: boolean): () => void {
    if (isAlone) return this.#start(driver.order.name).drive(driver);
    const host = [...this.#shared].find(({ count }) => count < DRIVERS_MAX) ?? this.#start();
    this.#shared.add(host);
    return host.drive(driver);
  }

  #start(alone?: string): DriverHost {
    const host: DriverHost = new DriverHost({
      ...this.#options,
      ...(alone !== undefined && { alone }),
      onEnd: () => this.#shared.delete(host),
    });
    return host;
  }
}
