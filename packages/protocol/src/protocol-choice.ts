/** Chooses the version of the protocol between a client and a keeper of different releases. Keeps WIRE-8. */
import { PROTOCOL_OLDEST, PROTOCOL_VERSION } from './messages.ts';

/** A range of versions, as a hello names it. */
export interface ProtocolRange {
  readonly protocol: number;
  readonly oldest?: number | undefined;
}

const OURS: ProtocolRange = { protocol: PROTOCOL_VERSION, oldest: PROTOCOL_OLDEST };

/** Returns the newest version that both speak; null if there is none, or the peer names no range. */
export function chooseProtocol(theirs: unknown, ours = OURS): number | null {
  const { protocol, oldest = protocol } = (theirs ?? {}) as Partial<ProtocolRange>;
  if (!isVersion(protocol) || !isVersion(oldest)) return null;
  const newest = Math.min(protocol, ours.protocol);
  return newest >= Math.max(oldest, ours.oldest ?? ours.protocol) ? newest : null;
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
