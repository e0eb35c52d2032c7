/**
 * A state from which the next driver can continue: the state of all parts, and the position in both logs. It is valid only for
 * the program that wrote it (the shape of a state is not an interface) and for the log that it was taken from: `lastBatch` must
 * be in the log. Keeps EVT-11 in the driver.
 */
import type { BatchRecord } from '@spool/protocol';
import type { MachineState } from './agent-machine.ts';

/**
 * The limit of a checkpoint as JSON. A larger state contains a long text that will soon be complete; no checkpoint is written until
 * then.
 */
export const CHECKPOINT_BYTES_MAX = 512 * 1024;

export interface Checkpoint {
  /** The driver's name and program. */
  readonly build: string;
  /** The offset up to which the events log was taken, except for commands from `commandsFrom` on. */
  readonly end: number;
  readonly commandsFrom: number;
  /** The offset up to which the output was taken; no line is incomplete there. */
  readonly consumed: number;
  /** The last record of a driver before `end`. */
  readonly lastBatch: { readonly offset: number; readonly driver: string; readonly at: number };
  readonly machine: MachineState;
}

/** Returns the checkpoint in base64; null if it is too large. */
export function encodeCheckpoint(checkpoint: Checkpoint): string | null {
  let left = CHECKPOINT_BYTES_MAX;
  const isRoom = (value: unknown): boolean => typeof value !== 'string' || (left -= value.length) >= 0;
  try {
    const text = JSON.stringify(checkpoint, (_, value: unknown) => {
      if (!isRoom(value)) throw new TooLarge(); // checked before megabytes are joined
      return value;
    });
    const bytes = Buffer.from(text);
    return bytes.length > CHECKPOINT_BYTES_MAX ? null : bytes.toString('base64');
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

class TooLarge extends Error {}

/** Returns null for a checkpoint of another program. The keeper has compared its digest. */
export function decodeCheckpoint(base64: string | null, build: string): Checkpoint | null {
  if (base64 === null) return null;
  const checkpoint = JSON.parse(Buffer.from(base64, 'base64').toString()) as Checkpoint;
  return checkpoint.build === build ? checkpoint : null;
}

export function isLastBatch({ lastBatch }: Checkpoint, offset: number, record: BatchRecord): boolean {
  return offset === lastBatch.offset && record.driver === lastBatch.driver && record.at === lastBatch.at;
}
