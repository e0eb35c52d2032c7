/**
 * Notifies users who are not attached that a session needs them: it is blocked, has failed, or has ended after a while.
 * It never notifies about a session that has a viewer. Keeps STATE-6.
 *
 * All clients that follow events get the notification, and so do viewers of other sessions. Beyond that it uses only
 * what the user has configured: the desktop, a command, a web address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { askingSentence, type DaemonEvent } from '@spool/protocol';
import type { Session } from './session/session.ts';

export type Notification = Extract<DaemonEvent, { type: 'notification' }>;
type About = Notification['about'];

export interface NotifyConfig {
  readonly on: readonly About[];
  readonly desktop: boolean;
  /** Run without a shell; gets the notification as JSON on its standard input. */
  readonly command: readonly string[] | null;
  readonly webhook: URL | null;
}

export interface NotifierOptions {
  readonly configFile: string;
  emit(event: Notification): void;
  /** Viewers of any other session. */
  tellViewers(notification: Notification): void;
  warn(sentence: string): void;
}

/** A dialog that is answered within this time is not worth a notification. */
const BLOCKED_FOR_MS = 700;
/** Claude draws a dialog a second or two after it has reported it. */
const QUESTION_MS_MAX = 4000;
const QUESTION_EVERY_MS = 250;
/** A user who starts something shorter than this waits for it anyway. */
const EXIT_AFTER_MS = 10_000;
const CONFIDENCE_MIN = 0.5;
const COMMAND_MS_MAX = 30_000;
const WEBHOOK_MS_MAX = 10_000;
const AT_ONCE_MAX = 8;
const CONFIG_BYTES_MAX = 64 * 1024;
const TEXT_CHARACTERS_MAX = 200;

const NOTHING: NotifyConfig = { on: ['blocked', 'exit', 'failure'], desktop: false, command: null, webhook: null };

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Sessions whose present block was notified, with its start: the next dialog is a new one. */
  readonly #told = new Map<string, number>();
  #config: NotifyConfig = NOTHING;
  #configAt = -1;
  #underWay = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  statusChanged(session: Session): void {
    const isBlocked = session.status.state === 'blocked' && session.status.confidence >= CONFIDENCE_MIN;
    if (!isBlocked) return this.#forget(session.id);
    if (this.#told.get(session.id) === session.status.since || this.#timers.has(session.id)) return;
    this.#wait(session, BLOCKED_FOR_MS);
  }

  /** A program reports its question before it draws it: the notification waits for the words, but not for ever. */
  #wait(session: Session, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(session.id);
      if (!session.isRunning || session.status.state !== 'blocked' || session.viewers.all().length > 0) return;
      const { activity, kind, evidence, since, agent, question, source } = session.status;
      if (question === undefined && source !== 'screen' && Date.now() - since < QUESTION_MS_MAX)
        return this.#wait(session, QUESTION_EVERY_MS);
      this.#told.set(session.id, since);
      this.#notify(
        session,
        'blocked',
        `needs your input${kind ? ` (${kind})` : ''}`,
        askingSentence(agent, question) ?? activity ?? evidence[0]?.why ?? '',
      );
    }, ms);
    this.#timers.set(session.id, timer);
  }

  /** A viewer has left: notifies about what came up meanwhile, and repeats nothing that was notified before. */
  viewerLeft(session: Session): void {
    if (session.isRunning && session.viewers.all().length === 0) this.statusChanged(session);
  }

  /** This state is older than this keeper, and was notified then. */
  restored(session: Session): void {
    if (session.status.state === 'blocked') this.#told.set(session.id, session.status.since);
  }

  ended(session: Session): void {
    this.#forget(session.id);
    const { state, exitCode, signal, startedAt, endedAt, endedBy } = session.info;
    if (endedBy === 'stop' || endedBy === 'kill') return; // the user did it
    const seconds = Math.round(((endedAt ?? startedAt) - startedAt) / 1000);
    if (state === 'failed' || endedBy === 'timeout') {
      const how =
        endedBy === 'timeout' ? 'timed out' : exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
      this.#notify(session, 'failure', `failed: ${how}`, `after ${seconds} s`);
    } else if (seconds * 1000 >= EXIT_AFTER_MS) this.#notify(session, 'exit', 'has finished', `after ${seconds} s`);
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#told.delete(id);
  }

  /** A failed notification must not fail the caller. */
  #notify(session: Session, about: About, what: string, body: string): void {
    try {
      this.#emit(session, about, what, body);
    } catch (error) {
      this.#options.warn(`could not send a notification: ${(error as Error).message}`);
    }
  }

  #emit(session: Session, about: About, what: string, body: string): void {
    const config = this.#read();
    if (!config.on.includes(about)) return;
    const notification: Notification = {
      type: 'notification',
      at: Date.now(),
      id: session.id,
      name: session.name,
      about,
      title: `${session.name} ${what}`.slice(0, TEXT_CHARACTERS_MAX),
      body: body.slice(0, TEXT_CHARACTERS_MAX),
    };
    this.#options.emit(notification);
    this.#options.tellViewers(notification);
    if (config.desktop) this.#run(['notify-send', '--app-name=spool', '--', notification.title, notification.body], '');
    if (config.command) this.#run(config.command, JSON.stringify(notification), notification);
    if (config.webhook) this.#post(config.webhook, JSON.stringify(notification));
  }

  #run(command: readonly string[], input: string, notification?: Notification): void {
    if (!this.#begin()) return;
    const bus = `/run/user/${process.getuid!()}/bus`;
    let isOver = false;
    const over = (trouble?: string): void => {
      if (isOver) return;
      isOver = true;
      this.#underWay--;
      if (trouble) this.#options.warn(`the notification command ${command[0]} ${trouble}`);
    };
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
      return over(`could not be started: ${(error as Error).message}`);
    }
    child.stdin?.on('error', () => {}); // the command does not read it
    child.stdin?.end(input);
    child.on('error', (error) => over(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => over(code === 0 ? undefined : `ended with ${code ?? signal}`));
  }

  /** One request, no redirects; the answer is not read. */
  #post(url: URL, body: string): void {
    if (!this.#begin()) return;
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), WEBHOOK_MS_MAX);
    request.on('response', (response) => {
      response.destroy();
      const { statusCode = 0 } = response;
      if (statusCode >= 300) this.#options.warn(`the webhook answered ${statusCode}; the notification is not retried`);
    });
    request.on('error', (error) => this.#options.warn(`the webhook request failed: ${error.message}`));
    request.on('close', () => {
      clearTimeout(timer);
      this.#underWay--;
    });
    request.end(body);
  }

  #begin(): boolean {
    if (this.#underWay >= AT_ONCE_MAX) {
      this.#options.warn(`${AT_ONCE_MAX} notifications are in progress; this one is dropped`);
      return false;
    }
    this.#underWay++;
    return true;
  }

  #read(): NotifyConfig {
    let changedAt: number;
    try {
      const found = statSync(this.#options.configFile);
      if (!found.isFile() || found.size > CONFIG_BYTES_MAX) throw new Error('not a regular file, or too large');
      changedAt = found.mtimeMs;
    } catch {
      this.#configAt = -1;
      return (this.#config = NOTHING); // most users have none
    }
    if (changedAt === this.#configAt) return this.#config;
    this.#configAt = changedAt;
    try {
      const { config, errors } = parseNotifyConfig(JSON.parse(readFileSync(this.#options.configFile, 'utf8')));
      for (const error of errors) this.#options.warn(`${this.#options.configFile}: ${error}`);
      this.#config = config;
    } catch (error) {
      this.#options.warn(`${this.#options.configFile} cannot be read: ${(error as Error).message}`);
      this.#config = NOTHING;
    }
    return this.#config;
  }
}

/** `{ "notify": { "on": […], "desktop": true, "command": ["…"], "webhook": "https://…" } }`; invalid parts are left out. */
export function parseNotifyConfig(json: unknown): { config: NotifyConfig; errors: readonly string[] } {
  const errors: string[] = [];
  const { notify } = Object(json) as { notify?: unknown };
  const { on, desktop, command, webhook } = Object(notify ?? {}) as Record<string, unknown>;
  const isStrings = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0'));
  const wrong = <T>(sentence: string, fallback: T): T => {
    errors.push(sentence);
    return fallback;
  };
  return {
    errors,
    config: {
      on:
        on === undefined
          ? NOTHING.on
          : isStrings(on) && on.every((word) => (NOTHING.on as readonly string[]).includes(word))
            ? (on as About[])
            : wrong('notify.on must be a list of "blocked", "exit" and "failure"', NOTHING.on),
      desktop:
        desktop === undefined
          ? false
          : desktop === true || desktop === false
            ? desktop
            : wrong('notify.desktop must be true or false', false),
      command:
        command === undefined || command === null
          ? null
          : isStrings(command) && command.length > 0 && command[0] !== ''
            ? command
            : wrong('notify.command must be a list of words, the program first; it is run without a shell', null),
      webhook:
        webhook === undefined || webhook === null
          ? null
          : (webhookOf(webhook) ?? wrong('notify.webhook must be an https URL, or an http URL on this machine', null)),
    },
  };
}

function webhookOf(value: unknown): URL | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (!url || url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname) ? url : null;
}
