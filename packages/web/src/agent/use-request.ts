/**
 * The oldest open request of an agent, whole. The status of the session names it and its record in the log, so one record is
 * read, however long the log is. Keeps REQ-6 on the page.
 */
import { readRequest, type RequestEvent, type SessionInfo } from '@spool/client';
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';

type StatusRequest = NonNullable<SessionInfo['status']['requests']>[number];

export interface ShownRequest {
  readonly open: StatusRequest;
  /** The request; null until it is read, or if it cannot be read. */
  readonly event: RequestEvent | null;
  /** The reason why it cannot be read. */
  readonly trouble: string | null;
}

export function useRequest({ id, status }: SessionInfo): ShownRequest | null {
  const open = status.requests?.[0];
  const digest = open?.digest;
  const [read, setRead] = useState<ShownRequest | null>(null);
  useEffect(() => {
    if (open === undefined) return undefined;
    let isOver = false;
    const show = (event: RequestEvent | null, trouble: string | null): void => {
      if (!isOver) setRead({ open, event, trouble });
    };
    readRequest(client, id, open).then(
      (event) =>
        event?.digest === open.digest ? show(event, null) : show(null, 'The log no longer has this request.'),
      (error: unknown) => show(null, sentenceOf(error)),
    );
    return () => {
      isOver = true;
    };
  }, [id, digest]);
  if (open === undefined) return null;
  // The earlier result belongs to another request.
  return read?.open.digest === digest ? read : { open, event: null, trouble: null };
}
