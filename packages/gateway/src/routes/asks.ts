/**
 * Answers the question of a notification, if it is still asked. The question is compared twice: by its name here, and by the keeper with
 * what is on the screen, key by key. Keeps NOTE-3.
 */
import { AgentHandle, type Client } from '@spool/client';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { z } from 'zod';
import type { ActionLinks } from '../notices/action-links.ts';
import { actionsOf, askOf, isDriven, sessionOf } from '../notices/asks.ts';
import { type Route, route } from './route.ts';

export function askRoutes(links: ActionLinks): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/asks/:id',
      summary: 'Answer the question of a notification, if it is still asked',
      body: z.strictObject({ action: z.string().max(10).describe('the id of one of the actions of the notification') }),
      answer: z.strictObject({ isConfirmed: z.boolean().describe('whether the question has left the screen') }),
      async run({ client, id: ask, request, body: { action } }) {
        const { link } = request.principal!;
        if (link && (link.ask !== ask || link.action !== action)) throw new SpoolError('TOKEN_REFUSED');
        const session = await asking(client, ask);
        const wanted = actionsOf(session.status.question, isDriven(session)).find(({ id }) => id === action);
        if (!wanted) throw new SpoolError('ANSWER_UNKNOWN', { session: session.name });
        if (link && !links.use(link)) throw new SpoolError('TOKEN_REFUSED');
        if (isDriven(session)) return { isConfirmed: await decide(client, session, ask, Number(action)) };
        const { text, subject } = session.status.question!;
        const question = { text, ...(subject !== undefined && { subject }) };
        const { isConfirmed } = await client.answer(session.id, { question, option: wanted.label });
        return { isConfirmed };
      },
    }),
  ];
}

/** The session, if it asks this. */
async function asking(client: Client, ask: string): Promise<SessionInfo> {
  const session = await client.get(sessionOf(ask));
  const isAsked = session.status.state === 'blocked' && askOf(session.id, session.status) === ask;
  if (!isAsked) throw new SpoolError('QUESTION_CHANGED', { session: session.name });
  return session;
}

/** The oldest open permission is the one that the status shows; looked at again, so that it cannot have changed in between. */
async function decide(client: Client, session: SessionInfo, ask: string, index: number): Promise<boolean> {
  const agent = new AgentHandle(client, session);
  const [open] = await agent.pending();
  await asking(client, ask);
  const option = open?.kind === 'permission.requested' ? open.options[index] : undefined;
  if (!open || !option) throw new SpoolError('QUESTION_CHANGED', { session: session.name });
  const { isOurs } = option.kind.startsWith('allow')
    ? await agent.approve(open.request, { option: option.id })
    : await agent.deny(open.request, { option: option.id });
  return isOurs;
}
