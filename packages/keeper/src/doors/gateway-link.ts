/**
 * What the keeper knows of the gateway: a process that the holder keeps running, and that reports here when it serves. Whoever
 * asks for a gateway is answered when it does. Keeps DOOR-10, with the holder's `gateway-process.ts`.
 */
import {
  type FromKeeper,
  fromWireError,
  type GatewayInfo,
  type GatewayOptions,
  type Requests,
  SpoolError,
} from '@spool/protocol';

/** It starts in a quarter of a second; a loaded machine may take longer. */
const START_MS_MAX = 20_000;

export class GatewayLink {
  readonly #send: (message: FromKeeper) => void;
  #info: GatewayInfo | null = null;
  /** Asks the gateway that serves to end. */
  #end: (() => void) | null = null;
  readonly #waiting = new Set<PromiseWithResolvers<GatewayInfo>>();

  constructor(send: (message: FromKeeper) => void) {
    this.#send = send;
  }

  get info(): GatewayInfo | null {
    return this.#info;
  }

  async start(options: GatewayOptions | undefined): Promise<GatewayInfo> {
    if (this.#info && (options === undefined || isSame(options, this.#info.options))) return this.#info;
    const waiter = Promise.withResolvers<GatewayInfo>();
    this.#waiting.add(waiter);
    const timer = setTimeout(
      () => waiter.reject(new SpoolError('GATEWAY_START_FAILED', { reason: 'it did not answer' })),
      START_MS_MAX,
    );
    this.#info = null;
    this.#send({ type: 'gateway', options: options ?? {} });
    try {
      return await waiter.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
    }
  }

  stop(): void {
    this.#send({ type: 'gateway', options: null });
    this.#end?.();
    this.#info = null;
  }

  /** A gateway reports. Returns what to call when its connection ends. */
  serve({ info, failure }: Requests['serveGateway']['ask'], answer: () => void): () => void {
    if (failure) {
      this.#send({ type: 'gateway', options: null }); // it would only fail again
      for (const waiter of this.#waiting) waiter.reject(fromWireError(failure));
      answer();
      return () => {};
    }
    if (!info) throw new SpoolError('REQUEST_INVALID', { reason: 'neither info nor failure' });
    this.#info = info;
    this.#end = answer;
    for (const waiter of this.#waiting) waiter.resolve(info);
    return () => {
      if (this.#info !== info) return;
      this.#info = null;
      this.#end = null;
    };
  }
}

function isSame(a: GatewayOptions, b: GatewayOptions): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
