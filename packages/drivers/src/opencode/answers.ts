/** Answers of the agent's HTTP interface: the session, errors, and the agent's record after a gap (`reconcile.ts`). */
import { type JsonObject, listOf, numberOf, objectOf, textOf, textsOf } from '../json-value.ts';
import { questionAsked, sessionUpdated } from './events.ts';
import { todos } from './plan.ts';
import { faultOf } from './parts.ts';
import { messagesRead, pendingRead, promptLost, sentAgain, statusRead } from './reconcile.ts';
import type { OpenCodeWork } from './state.ts';

const SESSION = /^(POST \/session|GET \/session\/ses[^/?]*)$/;
const PROMPT = /\/(prompt_async|command)$/;
/** The replies whose failure is normal: another client was first, or the turn is over. */
const REPLY = /^POST \/(permission|question)\//;

export function takeAnswer(work: OpenCodeWork, line: JsonObject): boolean {
  const http = textOf(line.http) ?? '';
  const status = numberOf(line.status);
  if (status === undefined) return true;
  if (status >= 400) refused(work, http, status, objectOf(line.body));
  else if (!work.state.options.isReadOnly) accepted(work, http, line.body);
  return true;
}

function refused(work: OpenCodeWork, http: string, status: number, body: JsonObject): void {
  const { ledger, state } = work;
  const isReply = REPLY.test(http);
  if (status === 404 && isReply) return;
  if (isReply && (status === 502 || status === 504) && sentAgain(work, http)) return;
  const error = { code: `http-${status}`, message: faultOf(body).message, httpStatus: status };
  if (PROMPT.test(http) && state.awaitsBusy && (status === 502 || status === 504)) return promptLost(work, error);
  ledger.emit({ kind: 'fault', error, fatal: SESSION.test(http) });
  if (!PROMPT.test(http) || !state.awaitsBusy) return;
  state.awaitsBusy = false;
  ledger.endTurn({ outcome: 'failed', stopReason: 'error', error });
}

function accepted(work: OpenCodeWork, http: string, body: unknown): void {
  const { state, ledger } = work;
  if (SESSION.test(http)) {
    const id = textOf(objectOf(body).id);
    if (id === undefined) return;
    state.session = id;
    return void sessionUpdated(work, objectOf(body));
  }
  const [, path = ''] = http.split(' ');
  if (path === '/command') {
    state.commands = listOf(body)
      .flatMap((command) => textsOf([objectOf(command).name]))
      .slice(0, COMMANDS_MAX);
    ledger.emit({ kind: 'session.updated', commands: state.commands });
  } else if (path.includes('/message?')) messagesRead(work, listOf(body));
  else if (http === 'GET /permission') pendingRead(work, 'permission', listOf(body));
  else if (http === 'GET /question') {
    for (const asked of listOf(body).map(objectOf))
      if (!ledger.isResolved(textOf(asked.id) ?? '')) questionAsked(work, asked);
    pendingRead(work, 'question', listOf(body));
  } else if (path.endsWith('/todo')) todos(work, listOf(body));
  else if (http === 'GET /session/status') statusRead(work, objectOf(body));
}

const COMMANDS_MAX = 500;
