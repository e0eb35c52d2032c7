/**
 * The subjects of a group of questions: what a screen shows, or the whole request of an agent, which is read from its record in
 * the log. Keeps PAGE-70.
 */
import { isAskedByAgent } from '@spool/protocol';
import { readRequest, type RequestEvent, type SessionInfo } from '@spool/client';
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';

interface ShownInput {
  readonly text: string;
  /** Whether it is the whole subject: otherwise the question cannot be answered here. */
  readonly isWhole: boolean;
  /** The digest of the request of an agent. */
  readonly digest?: string;
}

export type GroupInputs = ReadonlyMap<string, ShownInput>;

const LINE_COLUMNS = 100;

/** Returns the subjects by session. Requests are read when the group is opened. */
export function useInputs(sessions: readonly SessionInfo[], isOpen: boolean): GroupInputs {
  const [read, setRead] = useState<GroupInputs>(new Map());
  const wanted = sessions.map(({ id, status }) => `${id} ${status.requests?.[0]?.digest ?? ''}`).join('\n');
  useEffect(() => {
    if (!isOpen) return undefined;
    let isOver = false;
    for (const session of sessions) {
      const open = session.status.requests?.[0];
      if (session.driver === undefined || open === undefined || read.get(session.id)?.digest === open.digest) continue;
      readInput(session, open).then((input) => {
        if (!isOver) setRead((now) => new Map(now).set(session.id, input));
      });
    }
    return () => {
      isOver = true;
    };
  }, [wanted, isOpen]);
  return new Map(sessions.flatMap((session) => inputOf(session, read)));
}

function inputOf(session: SessionInfo, read: GroupInputs): readonly (readonly [string, ShownInput])[] {
  const { id, status } = session;
  if (!isAskedByAgent(session)) return [[id, { text: status.question?.subject ?? '', isWhole: true }]];
  const input = read.get(id);
  return input === undefined || input.digest !== status.requests?.[0]?.digest ? [] : [[id, input]];
}

type StatusRequest = NonNullable<SessionInfo['status']['requests']>[number];

async function readInput({ id }: SessionInfo, open: StatusRequest): Promise<ShownInput> {
  const { digest } = open;
  try {
    const event = await readRequest(client, id, open);
    if (event === null) return { text: 'The request is gone.', isWhole: false, digest };
    return { text: await textOf(event), isWhole: event.isCut !== true, digest };
  } catch (error) {
    return { text: sentenceOf(error), isWhole: false, digest };
  }
}

/** Returns the lines of a request, as every place shows them. The renderer is loaded on demand, as for a single request. */
async function textOf(event: RequestEvent): Promise<string> {
  const { requestLines } = await import('@spool/render');
  return requestLines(event, LINE_COLUMNS)
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n');
}
