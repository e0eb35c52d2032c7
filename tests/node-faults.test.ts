/**
 * Tests nodes under faults, each in its network namespace. SPOOL_NODE_ROUNDS=10 makes it ten times as long, and SPOOL_NODE_PAUSE_S=600 pauses the
 * client's machine for ten minutes.
 */
import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { FaultsInput, FaultsReport } from './bodies/nodes-under-faults.ts';

const ROUNDS = Number(process.env['SPOOL_NODE_ROUNDS'] ?? 0);
const PAUSE_MS = Number(process.env['SPOOL_NODE_PAUSE_S'] ?? 0) * 1000;
const WITHIN_MS = 400_000 * Math.max(1, ROUNDS) + PAUSE_MS;

testNeeding(NAMESPACES_MISSING, missingProgram('ip', 'nsenter', 'sshd'))(
  '[NODE-61] cuts, pulled cables, kills, restarts and a paused client lose and double no byte, no key and no answer, on any road, with 60 ms delay',
  async () => {
    const input: FaultsInput = { rounds: ROUNDS, pauseMs: PAUSE_MS, floodBytes: ROUNDS > 0 ? 20_000_000 : 4_000_000 };
    const body = new URL('bodies/nodes-under-faults.ts', import.meta.url);
    const report = await inNamespace<FaultsReport>(body, input, { withinMs: WITHIN_MS });
    if (ROUNDS > 0) process.stdout.write(`${JSON.stringify(report.backAfterMs)}\n`);
    expect(report.wrong).toEqual([]);
  },
  WITHIN_MS + 10_000,
);
