/**
 * Answers the question of a notification, if it is still open. A request of an agent is named by its digest, and the driver
 * accepts no answer to another one. The question of a program is compared twice: by its name here, and by the keeper with the
 * screen, key by key. Keeps NOTE-3.
 */
import { AgentHandle, type Client, readRequest } from '@spool/client';
import { isAskedByAgent, type SessionInfo, SpoolError } from '@spool/protocol';
import { z } from 'zod';
import type { ActionLinks } from '../../push/action-links.ts';
import { type Action, actionsOf, askOf, requestOf, sessionOf } from '../../push/asks.ts';
import { requestActions } from '../../push/request-notice.ts';
import { type Route, route } from './route.ts';

export function askRoutes(links: ActionLinks): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/asks/:id',
      summary: 'Answer the question of a notification, if it is still asked',
      body: z.strictObject({
        action: z.string().max(200).describe('the id of one of the actions of the notification'),
      }),
      answer: z.strictObject({ isConfirmed: z.boolean().describe('whether the question has left the screen') }),
      async run({ client, id: ask, request, body: { action } }) {
        const { link } = request.principal!;
        if (link && (link.ask !== ask || link.action !== action)) throw new SpoolError('TOKEN_REFUSED');
        const session = await client.get(sessionOf(ask));
        const answer = isAskedByAgent(session) ? await toAgent(client, session, ask) : onScreen(client, session, ask);
        const wanted = answer.actions.find(({ id }) => id === action);
        if (!wanted) throw new SpoolError('ANSWER_UNKNOWN', { session: session.name });
        if (link && !links.use(link)) throw new SpoolError('TOKEN_REFUSED');
        return { isConfirmed: await answer.give(wanted) };
      },
    }),
  ];
}

interface PossibleAnswer {
  readonly actions: readonly Action[];
  give(action: Action): Promise<boolean>;
}

/** Returns the possible answer to a question on a screen. */
function onScreen(client: Client, session: SessionInfo, ask: string): PossibleAnswer {
  const { question, since, state } = session.status;
  if (state !== 'blocked' || question === undefined || askOf(session.id, { question, since }) !== ask)
    throw new SpoolError('QUESTION_CHANGED', { session: session.name });
  const { text, subject } = question;
  const shown = { text, ...(subject !== undefined && { subject }) };
  return {
    actions: actionsOf(question),
    give: async ({ label }) => (await client.answer(session.id, { question: shown, option: label })).isConfirmed,
  };
}

/** Returns the possible answer to a request of an agent. */
async function toAgent(client: Client, session: SessionInfo, ask: string): Promise<PossibleAnswer> {
  const changed = new SpoolError('QUESTION_CHANGED', { session: session.name });
  const open = requestOf(ask, session.status.requests ?? []);
  const event = open && (await readRequest(client, session.id, open));
  if (!event || event.digest !== open.digest) throw changed;
  const agent = new AgentHandle(client, session);
  return {
    actions: requestActions(event),
    async give({ isAllowing, option }) {
      const { isOurs } =
        isAllowing === true ? await agent.approve(open, { option }) : await agent.deny(open, { option });
      if (!isOurs) throw changed;
      return true;
    },
  };
}
