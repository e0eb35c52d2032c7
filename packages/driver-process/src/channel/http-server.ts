/**
 * Connects to an agent that serves HTTP beside its terminal (OpenCode). Its events become messages; a line is a call, and the
 * answer to a call becomes a message too. The lines have the format of the bridge (`../bridge`), which is for agents without a
 * terminal. Keeps the recording part of CHAN-32: no recorded line contains the password.
 */
import { Calls } from '../bridge/calls.ts';
import { AgentEventStream } from '../bridge/event-stream.ts';
import { HttpLink } from '../bridge/http-link.ts';
import type { RelayLink, RelayPeer } from './relay.ts';
import { ServerRefusal } from './server-refusal.ts';

/** A program that starts beside many busy ones may answer late. */
const CONNECT_MS_MAX = 60_000;

/** Resolves when the server has begun to send its events. */
export async function connectHttp(port: number, password: string, peer: RelayPeer): Promise<RelayLink> {
  const link = new HttpLink(port, password);
  const over = new AbortController();
  const print = (line: string): void => {
    if (!over.signal.aborted) peer.onMessage(redacted(line, password));
  };
  let isOpen = false;
  let isRefused = false;
  const events = new AgentEventStream({
    link,
    path: '/event',
    onEvent: print,
    onLost(why) {
      if (over.signal.aborted) return;
      over.abort();
      if (isOpen) peer.onClosed(why);
    },
    onRefused() {
      isRefused = true;
      over.abort();
    },
  });
  const timer = setTimeout(() => over.abort(), CONNECT_MS_MAX);
  const ended = events.run(over.signal);
  await Promise.race([events.connected, ended]);
  clearTimeout(timer);
  if (isRefused) throw new ServerRefusal('it does not accept the password');
  if (over.signal.aborted) throw new Error('its port does not answer');
  isOpen = true;
  const calls = new Calls({ link, print, onMade() {} });
  return { send: (line) => calls.take(line), close: () => over.abort() };
}

/** Removes the password from a line: the agent's commands inherit its environment and may print it. */
function redacted(line: string, password: string): string {
  return line.includes(password) ? line.replaceAll(password, '***') : line;
}
