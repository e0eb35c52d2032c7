/** Refuses a Node that is too old with a typed error, before it fails in an obscure way. Keeps SDK-1. */
import { SpoolError } from '@spool/protocol';

/**
 * The minimum version, as in `engines` of the package (scripts/pack-sdk.mjs): `Promise.withResolvers`, and `await using` after
 * compilation.
 */
const NODE_MIN = [22, 12] as const;

export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new SpoolError('NODE_TOO_OLD', { found: version });
}
