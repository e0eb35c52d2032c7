/** Sends requests to the agent's server. Each request has a time limit, and each answer a size limit. Keeps HTTP-41. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { USER } from './agent-server.ts';

const ANSWER_MS_MAX = 30_000;
const REFUSED_AGAIN_MS = 100;
/** The limit of an answer; the record of a long conversation is smaller. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

export interface HttpResponse {
  readonly status: number;
  /** JSON in one line; absent if the body is not JSON. */
  readonly json?: string | undefined;
}

interface Options {
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Loads the module with the first link: a driver contains this code too, but most drivers do not use it. */
const http = (): typeof import('node:http') => process.getBuiltinModule('node:http');

export class HttpLink {
  readonly #port: number;
  readonly #authorization: string;
  // A separate HTTP agent, because the user's environment may name a proxy. Connections are not reused, because the server may have
  // closed an idle one.
  readonly #agent = new (http().Agent)({ keepAlive: false });

  constructor(port: number, password: string) {
    this.#port = port;
    this.#authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
  }

  /** Makes a call and never rejects: a failure is a status too. `isPatient`: the answer comes at the end of a turn. */
  async call(route: string, body: string | undefined, isPatient = false): Promise<HttpResponse> {
    try {
      const [method = '', path = ''] = route.split(/ (.*)/s);
      const signal = isPatient ? undefined : AbortSignal.timeout(ANSWER_MS_MAX);
      const response = await this.#reach(method, path, { body, signal });
      return answerOf(response, await textOf(response));
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'TimeoutError' || name === 'AbortError')
        return failure(504, `the agent did not answer within ${ANSWER_MS_MAX / 1000} s`);
      return failure(502, message);
    }
  }

  /** Connects, and retries a refused connection: no byte has reached the agent, so the call is not made twice. */
  async #reach(method: string, path: string, options: Options): Promise<IncomingMessage> {
    const until = performance.now() + ANSWER_MS_MAX;
    for (;;)
      try {
        return await this.open(method, path, options);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || performance.now() > until) throw error;
        await sleep(REFUSED_AGAIN_MS, undefined, { signal: options.signal });
      }
  }

  open(method: string, path: string, { body, signal }: Options = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = http().request({
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        agent: this.#agent,
        signal,
        headers: {
          authorization: this.#authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      });
      request.on('error', reject);
      request.on('response', resolve);
      request.end(body);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`an answer of more than ${BODY_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads an answer; only JSON counts, because the agent answers unknown paths with a page and status 200. */
function answerOf(response: IncomingMessage, text: string): HttpResponse {
  const status = response.statusCode ?? 502;
  if (text === '') return { status };
  const json = oneLine(text);
  if (json !== undefined) return { status, json };
  if (status >= 400) return failure(status, text.slice(0, 1000));
  return failure(404, 'the agent has no such path');
}

function oneLine(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined; // a page, which is not an answer
  }
}

function failure(status: number, message: string): HttpResponse {
  return { status, json: JSON.stringify({ message }) };
}
