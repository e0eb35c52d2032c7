/**
 * Writes the number of faults of this gateway for `spool doctor`: to a file, because a gateway in trouble may not be able to
 * answer.
 */
import { writeFileSync } from 'node:fs';
import type { GatewayFaults } from '@spool/protocol';
import type { FaultCounts } from './connection-faults.ts';

export function writeFaults(path: string, counts: FaultCounts): void {
  const faults: GatewayFaults = { pid: process.pid, ...counts, lastAt: Date.now() };
  try {
    writeFileSync(path, JSON.stringify(faults), { mode: 0o600 });
  } catch {
    // The disk is full: the log has them too.
  }
}
