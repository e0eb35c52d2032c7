/**
 * The keeper's knowledge of the gateway: a process that the holder keeps running, and that reports here when it serves. A client
 * that asks for a gateway is answered as soon as this gateway serves. Keeps DOOR-10, with the holder's `gateway-process.ts`.
 */
import {
  type FromKeeper,
  fromWireError,
  type GatewayInfo,
  type GatewayOptions,
  type Requests,
  SpoolError,
} from '@spool/protocol';

/** The limit for the start. It takes a quarter of a second, and longer on a loaded machine. */
const START_MS_MAX = 20_000;

interface Waiter extends PromiseWithResolvers<GatewayInfo> {
  /** The requested options; undefined means any gateway. */
  readonly options: GatewayOptions | undefined;
}

export class GatewayLink {
  readonly #send: (message: FromKeeper) => void;
  #info: GatewayInfo | null = null;
  #version: string | undefined;
  /** Asks the gateway that serves to end. */
  #end: (() => void) | null = null;
  /** The options that were requested last; undefined if this keeper does not know them. */
  #wanted: GatewayOptions | undefined;
  readonly #waiting = new Set<Waiter>();

  constructor(send: (message: FromKeeper) => void) {
    this.#send = send;
  }

  get info(): GatewayInfo | null {
    return this.#info;
  }

  /** The version of the gateway that serves; undefined for an old one, which does not report it. */
  get version(): string | undefined {
    return this.#version;
  }

  async start(options: GatewayOptions | undefined): Promise<GatewayInfo> {
    if (this.#info && isFor(this.#info, options)) return this.#info;
    const waiter: Waiter = { ...Promise.withResolvers<GatewayInfo>(), options };
    this.#waiting.add(waiter);
    const timer = setTimeout(() => waiter.reject(makeFailure('it did not answer')), START_MS_MAX);
    this.#info = null;
    this.#wanted = options ?? this.#wanted;
    this.#send({ type: 'gateway', options });
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
    this.#wanted = undefined;
    for (const waiter of this.#waiting) waiter.reject(makeFailure('it was stopped'));
  }

  /** Takes the report of a gateway. Returns the function to call when the gateway's connection ends. */
  serve({ info, failure, options }: Requests['serveGateway']['ask'], answer: () => void, version?: string): () => void {
    if (failure) {
      answer();
      this.#failed(fromWireError(failure), options);
      return () => {};
    }
    if (!info) throw new SpoolError('REQUEST_INVALID', { reason: 'neither info nor failure' });
    this.#info = info;
    this.#version = version;
    this.#end = answer;
    const isWanted = isFor(info, this.#wanted);
    for (const waiter of this.#waiting) {
      if (isFor(info, waiter.options)) waiter.resolve(info);
      else if (isWanted) waiter.reject(makeFailure('it was asked for with other options meanwhile'));
    }
    return () => {
      if (this.#info !== info) return;
      this.#info = null;
      this.#end = null;
    };
  }

  /** Handles a failure. The failure of a gateway that is no longer wanted is ignored: its successor may still start. */
  #failed(error: SpoolError, options: GatewayOptions | undefined): void {
    const isWanted = this.#wanted === undefined || options === undefined || isSame(options, this.#wanted);
    if (isWanted) this.#send({ type: 'gateway', options: null }); // the same options would only fail again
    for (const waiter of this.#waiting)
      if (isWanted || (waiter.options && isSame(waiter.options, options!))) waiter.reject(error);
  }
}

function isFor({ options }: GatewayInfo, wanted: GatewayOptions | undefined): boolean {
  return wanted === undefined || isSame(wanted, options);
}

function isSame(a: GatewayOptions, b: GatewayOptions): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function makeFailure(reason: string): SpoolError {
  return new SpoolError('GATEWAY_START_FAILED', { reason });
}
