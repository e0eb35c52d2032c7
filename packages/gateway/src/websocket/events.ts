/**
 * Implements `spool.events.v1`: tasks and output as plain JSON. `/ws` sends `task_started`, `task_log` and `task_finished` of all
 * tasks (`?tasks=no`: of none). `{"type": "SUBSCRIBE_WORKER_OUTPUT", "payload": {"agent": NAME}}` subscribes to the output of a
 * session by its name, as `WORKER_OUTPUT`; `UNSUBSCRIBE_WORKER_OUTPUT` ends it. Keeps REM-9.
 */
import { SpoolError } from '@spool/protocol';
import type { SubprotocolHandler } from './websockets.ts';
import { parseMessage, SubprotocolClient } from './subprotocol-client.ts';

/** The maximum of subscriptions of one socket. */
const AGENTS_MAX = 100;

/** The maximum of unsent messages of one socket; a client that reads more slowly is disconnected, and may reconnect. */
const WAITING_MAX = 1000;

export const speakEvents: SubprotocolHandler = (socket, principal, gate, request) => {
  const speaker = new SubprotocolClient(socket, principal, gate, request);
  const subscriptions = new Map<string, () => void>();
  let waiting = 0;
  speaker.signal.addEventListener('abort', () => {
    for (const end of subscriptions.values()) end();
  });

  if (speaker.query.get('tasks') !== 'no')
    void speaker.speak(async () => {
      for await (const event of speaker.client.taskEvents({ signal: speaker.signal })) await speaker.sendJson(event);
    });

  speaker.listen((data) => {
    const message = parseMessage(data);
    const agent = (message.payload as { agent?: unknown } | undefined)?.agent;
    if (typeof agent !== 'string' || agent === '')
      throw new SpoolError('REQUEST_INVALID', { reason: 'payload.agent must be the name of a session' });
    switch (message.type) {
      case 'SUBSCRIBE_WORKER_OUTPUT':
        return subscribe(agent);
      case 'UNSUBSCRIBE_WORKER_OUTPUT':
        subscriptions.get(agent)?.();
        subscriptions.delete(agent);
        return;
      default:
        throw new SpoolError('REQUEST_INVALID', { reason: 'unknown type' });
    }
  });

  function subscribe(agent: string): void {
    if (subscriptions.has(agent)) return;
    if (subscriptions.size >= AGENTS_MAX) throw new SpoolError('TOO_MANY', { most: AGENTS_MAX });
    const end = speaker.client.subscribeWorkerOutput(
      agent,
      (text, ts, name) => {
        if (++waiting > WAITING_MAX) return speaker.fail(new SpoolError('TOO_MANY', { most: WAITING_MAX }));
        void speaker
          .sendJson({ type: 'WORKER_OUTPUT', payload: { agent: name, data: text, ts } })
          .then(() => waiting--);
      },
      { onError: (error) => speaker.fail(error) },
    );
    subscriptions.set(agent, end);
  }
};
