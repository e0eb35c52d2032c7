/** What the page asks the gateway by HTTP, beside the protocol. Errors are sentences for the user. */
import { pageUrl } from './daemon.ts';

export async function askGateway<Answer>(
  path: string,
  options: { readonly body?: unknown; readonly method?: string; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const { body, method, signal } = options;
  const answer = await fetch(pageUrl(`./api/${path}`), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const found = (await answer.json().catch(() => ({}))) as Answer & { readonly title?: string };
  if (!answer.ok) throw new Error(found.title ?? `The gateway answered with ${answer.status}.`);
  return found;
}

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
