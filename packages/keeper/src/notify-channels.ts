/** Sends a notification beyond the daemon's clients: to the desktop, to a command, to a web address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { DaemonEvent } from '@spool/protocol';
import type { Settings } from '@spool/protocol/config';

export type Notification = Extract<DaemonEvent, { type: 'notification' }>;

export interface NotifyOutcome {
  readonly channel: 'desktop' | 'command' | 'webhook';
  /** What went wrong, in a sentence; null when it was delivered. */
  readonly trouble: string | null;
}

const COMMAND_MS_MAX = 30_000;
const WEBHOOK_MS_MAX = 10_000;
const AT_ONCE_MAX = 8;

export class NotifyChannels {
  #underWay = 0;

  async send(settings: Settings, notification: Notification): Promise<readonly NotifyOutcome[]> {
    const { 'notify.desktop': desktop, 'notify.command': command, 'notify.webhook': webhook } = settings;
    const sent: Promise<NotifyOutcome>[] = [];
    const { title, body } = notification;
    const json = JSON.stringify(notification);
    if (desktop)
      sent.push(this.#one('desktop', () => runCommand(['notify-send', '--app-name=spool', '--', title, body], '')));
    if (command) sent.push(this.#one('command', () => runCommand(command, json, notification)));
    if (webhook !== null) sent.push(this.#one('webhook', () => post(new URL(webhook), json)));
    return await Promise.all(sent);
  }

  async #one(channel: NotifyOutcome['channel'], send: () => Promise<string | null>): Promise<NotifyOutcome> {
    if (this.#underWay >= AT_ONCE_MAX)
      return { channel, trouble: `${AT_ONCE_MAX} notifications are in progress; this one is dropped` };
    this.#underWay++;
    const trouble = await send();
    this.#underWay--;
    return { channel, trouble };
  }
}

function runCommand(command: readonly string[], input: string, notification?: Notification): Promise<string | null> {
  const bus = `/run/user/${process.getuid!()}/bus`;
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const fail = (what: string): void => resolve(`the notification command ${command[0]} ${what}`);
  let child: ChildProcess;
  try {
    child = spawn(command[0]!, command.slice(1), {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: COMMAND_MS_MAX,
      killSignal: 'SIGKILL',
      env: {
        PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
        HOME: process.env.HOME ?? '/',
        ...(existsSync(bus) && { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` }),
        ...(notification && { SPOOL_SESSION_ID: notification.id, SPOOL_ABOUT: notification.about }),
      },
    });
  } catch (error) {
    // Most failures come as an event; ENOTDIR, E2BIG and others do not.
    fail(`could not be started: ${(error as Error).message}`);
    return promise;
  }
  child.stdin?.on('error', () => {}); // the command does not read it
  child.stdin?.end(input);
  child.on('error', (error) => fail(`could not be started: ${error.message}`));
  child.on('close', (code, signal) => (code === 0 ? resolve(null) : fail(`ended with ${code ?? signal}`)));
  return promise;
}

/** One request, no redirects; the answer is not read. */
function post(url: URL, body: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  const timer = setTimeout(() => request.destroy(new Error('no answer in time')), WEBHOOK_MS_MAX);
  request.on('response', (response) => {
    response.destroy();
    const { statusCode = 0 } = response;
    resolve(statusCode >= 300 ? `the webhook answered ${statusCode}; the notification is not retried` : null);
  });
  request.on('error', (error) => resolve(`the webhook request failed: ${error.message}`));
  request.on('close', () => {
    clearTimeout(timer);
    resolve('the webhook closed the connection without an answer');
  });
  request.end(body);
  return promise;
}
