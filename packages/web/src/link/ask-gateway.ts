/** The HTTP requests of the page to the gateway, beside the protocol. Errors are sentences for the user. */
import { ERROR_CODES, errorSentence, SpoolError } from '@spool/protocol';
import { pageUrl } from './page-url.ts';
import { dropPass, takePass } from './pass.ts';
import { apiPath } from './session-place.ts';

interface GatewayQuestion {
  readonly body?: unknown;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export async function askGateway<Answer>(path: string, question: GatewayQuestion = {}): Promise<Answer> {
  const answer = await ask(path, question);
  const found = (await answer.json().catch(() => ({}))) as Answer & { readonly title?: string };
  if (!answer.ok) throw new Error(found.title ?? `The gateway answered with ${answer.status}.`);
  return found;
}

/** Sends a request. A refused pass may belong to another gateway: then a fresh one decides. */
async function ask(path: string, question: GatewayQuestion): Promise<Response> {
  const { body, method, signal } = question;
  const { text, isFresh } = await takePass();
  const answer = await fetch(pageUrl(`./api/${apiPath(path)}`), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${text}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (answer.status !== 401) return answer;
  dropPass(text);
  return isFresh ? answer : await ask(path, question);
}

/** Returns an error as a sentence for the page. It does not name the session: the page that shows it does. */
export function sentenceOf(error: unknown): string {
  if (!SpoolError.is(error)) return error instanceof Error ? error.message : String(error);
  const { session: _, ...details } = error.details;
  const sentence = errorSentence(ERROR_CODES[error.code] ?? error.code, details);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}
