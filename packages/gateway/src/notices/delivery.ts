/**
 * Posts a message, again after a while if the server is away, and never elsewhere: redirects are not followed. Few at once, so that a
 * server that does not answer holds up little. Keeps NOTE-1.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../turns.ts';

export interface Message {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `isGone`: the address exists no more. */
export interface Delivered {
  readonly trouble: string | null;
  readonly isGone?: boolean;
}

const ANSWER_MS_MAX = 10_000;
const AT_ONCE_MAX = 8;

/** Between attempts. A question is worth less after some minutes. */
const AGAIN_AFTER_MS: readonly number[] = [1000, 5000, 30_000, 120_000];
const RETRY_AFTER_MS_MAX = 300_000;

type Answer = { readonly status: number; readonly retryAfterMs: number | null } | { readonly failure: string };

export class Delivery {
  readonly #turns = new Turns(AT_ONCE_MAX);

  /** `isTest`: once only. */
  async send(message: Message, { isTest = false } = {}): Promise<Delivered> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#turns.take(() => post(message));
      if (!('failure' in answer) && answer.status < 300) return { trouble: null };
      if (!('failure' in answer) && (answer.status === 404 || answer.status === 410))
        return { trouble: `the server answered ${answer.status}`, isGone: true };
      const pauseMs = isTest ? undefined : AGAIN_AFTER_MS[attempt];
      const isForGood = !('failure' in answer) && !isTemporary(answer.status);
      if (isForGood || pauseMs === undefined) return { trouble: sentence(answer, attempt + 1) };
      const asked = 'failure' in answer ? null : answer.retryAfterMs;
      await sleep(Math.min(RETRY_AFTER_MS_MAX, Math.max(pauseMs, asked ?? 0)), undefined, { ref: false });
    }
  }
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function sentence(answer: Answer, attempts: number): string {
  const times = attempts === 1 ? '' : ` (${attempts} attempts)`;
  if ('failure' in answer) return `${answer.failure}${times}`;
  const redirect = answer.status < 400 ? '; redirects are not followed' : '';
  return `the server answered ${answer.status}${redirect}${times}`;
}

/** One request; the answer is not read. */
function post({ url, headers, body }: Message): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': body.length },
  });
  const timer = setTimeout(() => request.destroy(new Error('no answer in time')), ANSWER_MS_MAX);
  request.on('response', (response) => {
    response.destroy();
    const seconds = Number(response.headers['retry-after']);
    resolve({ status: response.statusCode ?? 0, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null });
  });
  request.on('error', (error) => resolve({ failure: `the request failed: ${error.message}` }));
  request.on('close', () => {
    clearTimeout(timer);
    resolve({ failure: 'the server closed the connection without an answer' });
  });
  request.end(body);
  return promise;
}
