/** The messages of a notice: as JSON for a webhook, for an ntfy server, for a browser. Keeps NOTE-4 and NOTE-5. */
import type { RequestEvent } from '@spool/client';
import type { Notice } from '@spool/protocol';
import type { ActionLinks } from './action-links.ts';
import { type Action, actionsOf, askOf } from './asks.ts';
import { PUSH_TEXT_BYTES_MAX } from './push-message.ts';
import { type ChannelLimits, requestNotice } from './request-notice.ts';

/** Creates links; null if the gateway has no server. */
export interface NoticeLinks {
  /** The public address of the gateway, with a slash at its end. */
  readonly url: string;
  readonly links: ActionLinks;
}

/** A notice with the agent's original request; null if the log no longer has it. */
export interface WholeNotice extends Notice {
  readonly event?: RequestEvent | null | undefined;
}

/** The maximum of actions: ntfy shows no more; browsers fewer. */
const ACTIONS_MAX = 3;
const LABEL_CHARACTERS_MAX = 60;

/** The limits of a webhook, which a program reads. */
const WEBHOOK_LIMITS: ChannelLimits = {
  bytesMax: 256 * 1024,
  allowedCharactersMax: Infinity,
  allowedLinesMax: Infinity,
};
/** The limits of ntfy: its server turns a longer message into a file. Phones fold long messages, and show that they do. */
const NTFY_LIMITS: ChannelLimits = { bytesMax: 3000, allowedCharactersMax: 600, allowedLinesMax: 12 };
/**
 * The limits of web push; as JSON the text may be twice as long. Desktops cut the text of a notification after a few lines, and
 * some do not show that.
 */
const PUSH_LIMITS: ChannelLimits = { bytesMax: 1500, allowedCharactersMax: 300, allowedLinesMax: 6 };

interface LinkedAction {
  readonly id: string;
  readonly label: string;
  readonly url: string;
  /** The bearer token, which works once. */
  readonly token: string;
}

export function webhookMessage(notice: WholeNotice, place: NoticeLinks | null, hasActions: boolean): object {
  const { at, session: id, name, about, title, request } = notice;
  const ask = askOf(id, notice);
  const { body, actions } = renderContent(notice, WEBHOOK_LIMITS);
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
    ...(request && { request: request.request, digest: request.digest }),
    ...(place && hasActions && ask !== null && { actions: linked(actions, ask, place) }),
  };
}

/** Returns the body of a POST to the server's root (https://docs.ntfy.sh/publish/#publish-as-json). */
export function ntfyMessage(
  notice: WholeNotice,
  topic: string,
  place: NoticeLinks | null,
  hasActions: boolean,
): object {
  const { session, about, title } = notice;
  const ask = askOf(session, notice);
  const { body, actions } = renderContent(notice, NTFY_LIMITS);
  return {
    topic,
    title,
    message: body || title,
    priority: about === 'blocked' || about === 'failure' ? 4 : 3,
    ...(place && session !== '' && { click: `${place.url}#/s/${session}` }),
    actions: (place && hasActions && ask !== null ? linked(actions, ask, place) : []).map(
      ({ id, label, url, token }) => ({
        action: 'http',
        label,
        url,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ action: id }),
        clear: true,
      }),
    ),
  };
}

/**
 * Returns the message for the service worker of the page. `url` is relative to the page: the browser knows the name that it used.
 */
export function pushText(notice: WholeNotice, mayAnswer: boolean): Buffer {
  const { session, about, title } = notice;
  const ask = askOf(session, notice);
  const content = renderContent(notice, PUSH_LIMITS);
  const actions = (mayAnswer && ask !== null ? content.actions : []).map(({ id, label }) => ({ id, label }));
  const url = session === '' ? './' : `./#/s/${session}`;
  const message = { title, body: content.body, session, about, ask, actions, url };
  const text = Buffer.from(JSON.stringify(message));
  return text.length <= PUSH_TEXT_BYTES_MAX ? text : Buffer.from(JSON.stringify({ ...message, actions: [] }));
}

function renderContent(
  notice: WholeNotice,
  limits: ChannelLimits,
): { readonly body: string; readonly actions: readonly Action[] } {
  const { body, question, request, event } = notice;
  if (request) {
    if (!event) return { body, actions: [] };
    const { text, actions } = requestNotice(event, limits);
    return { body: text, actions: actions.slice(0, ACTIONS_MAX) };
  }
  const actions = actionsOf(question)
    .slice(0, ACTIONS_MAX)
    .map(({ id, label }) => ({ id, label: label.slice(0, LABEL_CHARACTERS_MAX) }));
  return { body, actions };
}

function linked(actions: readonly Action[], ask: string, { url, links }: NoticeLinks): readonly LinkedAction[] {
  return actions.map(({ id, label }) => ({ id, label, url: `${url}api/asks/${ask}`, token: links.make(ask, id) }));
}
