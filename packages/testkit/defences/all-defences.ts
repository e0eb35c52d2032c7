/**
 * Lists every defence that `npm run defences` takes out, and the rows of SECURITY.md from which none can be taken out, with the
 * reason.
 */
import type { Defence } from './defence.ts';
import { GATEWAY_DEFENCES } from './gateway-defences.ts';
import { MACHINE_DEFENCES } from './machine-defences.ts';
import { POLICY_DEFENCES } from './policy-defences.ts';
import { REQUEST_DEFENCES } from './request-defences.ts';

export const DEFENCES: readonly Defence[] = [
  ...GATEWAY_DEFENCES,
  ...MACHINE_DEFENCES,
  ...POLICY_DEFENCES,
  ...REQUEST_DEFENCES,
];

/** The rows of SECURITY.md that have no defence here, with the reason. Empty today. */
export const ROWS_WITHOUT: Readonly<Record<string, string>> = {};
