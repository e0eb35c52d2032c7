/**
 * Answers the permission that an agent asks for as one of a group. Only answers for this one request are offered. Keeps PAGE-70.
 */
import { AgentHandle, type SessionInfo } from '@spool/client';
import type { OpenRequest } from '@spool/protocol';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { noteOurs } from './answered-requests.ts';

export interface GroupAnswer {
  readonly label: string;
  /** The key that chooses it; null if it has none. */
  readonly key: string | null;
  readonly isDenial: boolean;
}

export function requestAnswers(options: OpenRequest['options']): readonly GroupAnswer[] {
  const canAllow = options.length === 0 || options.some(({ kind }) => kind === 'allow_once');
  return [
    ...(canAllow ? [{ label: 'Allow once', key: 'y', isDenial: false }] : []),
    { label: 'Deny', key: 'n', isDenial: true },
  ];
}

/** Answers with the digest of the shown request. Returns null when it was answered, otherwise the reason why it was not. */
export async function answerRequest(
  session: SessionInfo,
  { isDenial }: GroupAnswer,
  shownDigest: string | undefined,
): Promise<string | null> {
  const open = session.status.requests?.[0];
  if (open === undefined || open.digest !== shownDigest) return 'The request has changed.';
  const option = open.options.find(({ kind }) => kind === (isDenial ? 'reject_once' : 'allow_once'))?.id;
  const ref = { request: open.request, digest: open.digest };
  const agent = new AgentHandle(client, session);
  noteOurs(session);
  try {
    const { isOurs, outcome } = await (isDenial ? agent.deny(ref, { option }) : agent.approve(ref, { option }));
    return isOurs ? null : `It was decided before${outcome?.who === undefined ? '' : ` by ${outcome.who}`}.`;
  } catch (error) {
    return sentenceOf(error);
  }
}
