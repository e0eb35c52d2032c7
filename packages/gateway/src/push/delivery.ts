/**
 * Posts a message, retries after a while if the server is unreachable, and does not follow redirects. The number of concurrent
 * posts is small, so that a server that does not answer delays little. Keeps NOTE-40.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '@spool/native/semaphore';

export interface Message {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The result. `isGone`: the address no longer exists. */
export interface DeliveryResult {
  readonly trouble: string | null;
  readonly isGone?: boolean;
}

const ANSWER_MS_MAX = 10_000;
const AT_ONCE_MAX = 8;

/** The pauses between attempts. A question loses its value after some minutes. */
const AGAIN_AFTER_MS: readonly number[] = [1000, 5000, 30_000, 120_000];
const RETRY_AFTER_MS_MAX = 300_000;

type ChannelResponse = { readonly status: number; readonly retryAfterMs: number | null } | { readonly failure: string };

export class Delivery {
  readonly #semaphore = new Semaphore(AT_ONCE_MAX);

  /** Sends a message; `isTest`: without retries. */
  async send(message: Message, { isTest = false } = {}): Promise<DeliveryResult> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#semaphore.run(() => post(message));
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

function sentence(answer: ChannelResponse, attempts: number): string {
  const times = attempts === 1 ? '' : ` (${attempts} attempts)`;
  if ('failure' in answer) return `${answer.failure}${times}`;
  const redirect = answer.status < 400 ? '; redirects are not followed' : '';
  return `the server answered ${answer.status}${redirect}${times}`;
}

/** Sends one request; the answer's body is not read. */
function post({ url, headers, body }: Message): Promise<ChannelResponse> {
  const { promise, resolve } = Promise.withResolvers<ChannelResponse>();
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
