/**
 * The messages between the keeper and a driver host: a process that runs the drivers of several agents (decision 282). The keeper
 * knows a driver by its slot, a number that its host uses once.
 */
export interface DriverOrder {
  /** The dialect. */
  readonly name: string;
  readonly session: string;
  /** The folder of the side channel that is read, for an agent in a terminal. */
  readonly channel?: string | undefined;
  /** Whether the checkpoint is ignored. */
  readonly isFromStart: boolean;
  /** Whether each of the first lines becomes a separate record. */
  readonly isLineByLine: boolean;
}

export type ToDriverHost =
  /** Comes with the socket of the driver, which has rights to its own session only. When the keeper closes it, the driver ends. */
  { readonly type: 'drive'; readonly slot: number; readonly order: DriverOrder } | { readonly type: 'ping' };

export type FromDriverHost =
  | { readonly type: 'pong' }
  /** A driver has failed, or is outdated; the others continue. */
  | { readonly type: 'gone'; readonly slot: number; readonly how: string };

/** The bytes of a slot in the pipe of a host: they are in it while that driver works (`StepMark`). */
export const SLOT_BYTES = 4;
