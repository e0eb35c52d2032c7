/** The certificates that the user trusts besides the usual ones, as Node reads them. */
import { resolve } from 'node:path';

/** Returns the file with these certificates. */
export function ownAuthority(): string | undefined {
  const authority = process.env['NODE_EXTRA_CA_CERTS'];
  return authority === undefined || authority === '' ? undefined : resolve(authority);
}
