/** What is sent of a notice: as JSON to a webhook, to an ntfy server, to a browser. Keeps NOTE-4. */
import type { Notice } from '@spool/protocol';
import type { ActionLinks } from './action-links.ts';
import { type Action, actionsOf, askOf } from './asks.ts';
import { PUSH_TEXT_BYTES_MAX } from './push-message.ts';

/** What makes links; null where no door is open. */
export interface Place {
  /** Where others reach the gateway, with a slash at its end. */
  readonly url: string;
  readonly links: ActionLinks;
}

/** ntfy shows no more; browsers fewer. */
const ACTIONS_MAX = 3;
const LABEL_CHARACTERS_MAX = 60;

interface LinkedAction extends Action {
  readonly url: string;
  /** Works once; as bearer token. */
  readonly token: string;
}

export function webhookMessage(notice: Notice, place: Place | null, hasActions: boolean): object {
  const { at, session: id, name, about, title, body } = notice;
  const ask = askOf(id, notice);
  return {
    type: 'notification',
    at,
    id,
    name,
    about,
    title,
    body,
    ...(place && id !== '' && { url: `${place.url}#/s/${id}` }),
    ...(ask !== null && { ask }),
    ...(place && hasActions && ask !== null && { actions: linked(notice, ask, place) }),
  };
}

/** The body of a POST to the server's root (https://docs.ntfy.sh/publish/#publish-as-json). */
export function ntfyMessage(notice: Notice, topic: string, place: Place | null, hasActions: boolean): object {
  const { session, about, title, body } = notice;
  const ask = askOf(session, notice);
  const actions = place && hasActions && ask !== null ? linked(notice, ask, place) : [];
  return {
    topic,
    title,
    message: body || title,
    priority: about === 'blocked' || about === 'failure' ? 4 : 3,
    ...(place && session !== '' && { click: `${place.url}#/s/${session}` }),
    actions: actions.map(({ id, label, url, token }) => ({
      action: 'http',
      label,
      url,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: id }),
      clear: true,
    })),
  };
}

/** For the service worker of the page. `url` is relative to the page: the browser knows by which name it came. */
export function pushText(notice: Notice, mayAnswer: boolean): Buffer {
  const { session, about, title, body } = notice;
  const ask = askOf(session, notice);
  const actions = mayAnswer && ask !== null ? shown(notice) : [];
  const message = { title, body, session, about, ask, actions, url: session === '' ? './' : `./#/s/${session}` };
  const text = Buffer.from(JSON.stringify(message));
  return text.length <= PUSH_TEXT_BYTES_MAX ? text : Buffer.from(JSON.stringify({ ...message, actions: [] }));
}

function shown({ question, isDriven = false }: Notice): readonly Action[] {
  return actionsOf(question, isDriven)
    .slice(0, ACTIONS_MAX)
    .map(({ id, label }) => ({ id, label: label.slice(0, LABEL_CHARACTERS_MAX) }));
}

function linked(notice: Notice, ask: string, { url, links }: Place): readonly LinkedAction[] {
  return shown(notice).map((action) => ({
    ...action,
    url: `${url}api/asks/${ask}`,
    token: links.make(ask, action.id),
  }));
}
