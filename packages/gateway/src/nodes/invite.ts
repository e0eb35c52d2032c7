/** Redeems an invite at another machine: the two exchange their public keys, over TLS or loopback. */
import { createHash } from 'node:crypto';
import type { GatewayAddress } from '@spool/client/remote';
import { ERROR_CODES, type ErrorCode, ROLES, SpoolError } from '@spool/protocol';
import { z } from 'zod';
import { type MachineKey, PUBLIC_KEY_CHARS } from './machine-key.ts';

const INVITE_WITHIN_MS = 10_000;

export const NODES_ROUTE = '/api/nodes';

/** The answer of the inviting machine: its name and key, and the rights that the invite was made for. */
export const invitation = z.object({
  name: z.string().min(1).max(100),
  publicKey: z.string().length(PUBLIC_KEY_CHARS),
  role: z.enum(ROLES),
});

const problem = z.object({
  code: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Returns the text that a machine signs when it joins, to prove its key for this invite and this name. */
export function inviteText(code: string, name: string): string {
  return ['spool invite 1', createHash('sha256').update(code).digest('base64url'), name].join('\n');
}

export async function acceptedInvite(
  { url }: GatewayAddress,
  code: string,
  name: string,
  key: MachineKey,
): Promise<z.infer<typeof invitation>> {
  let status: number;
  let body: unknown;
  try {
    const answer = await fetch(`${url}${NODES_ROUTE}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${code}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, publicKey: key.publicKey, signature: key.sign(inviteText(code, name)) }),
      redirect: 'error',
      signal: AbortSignal.timeout(INVITE_WITHIN_MS),
    });
    status = answer.status;
    body = await answer.json();
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
    throw new SpoolError('HOST_UNREACHABLE', { host: url, reason: cause }, { cause: error });
  }
  const refusal = problem.safeParse(body);
  if (refusal.success && Object.hasOwn(ERROR_CODES, refusal.data.code))
    throw new SpoolError(refusal.data.code as ErrorCode, refusal.data.details);
  const accepted = invitation.safeParse(body);
  if (status !== 200 || !accepted.success) throw new SpoolError('GATEWAY_NOT_FOUND', { host: url });
  return accepted.data;
}
