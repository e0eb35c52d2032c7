/**
 * Notifies users who are not attached that a session needs them: it is blocked, has failed, or has ended after a while.
 * It never notifies about a session that has a viewer. Keeps STATE-6 and STATE-21.
 *
 * All clients that follow events get the notification, and so do viewers of other sessions. Beyond that it uses only
 * what the user has configured: the desktop and a command itself, networks through a gateway. What leaves the machine has the name of
 * the session and its question, and nothing else of its screen (NOTE-4).
 */
import * as files from 'node:fs';
import { askingSentence, type NoticeChannel, type NoticeOutcome } from '@spool/protocol';
import { defaultConfig, isQuiet, readConfig, type NotifyAbout, type Settings } from '@spool/protocol/config';
import { cleanText } from '@spool/vt';
import type { NoticeQueue } from './doors/notice-queue.ts';
import { type Notification, NotifyChannels } from './notify-channels.ts';
import type { EndedCommand } from './screens/messages.ts';
import type { Session } from './session/session.ts';

type About = NotifyAbout;

export interface NotifierOptions {
  readonly configFile: string;
  /** For what is sent over networks. */
  readonly queue: Pick<NoticeQueue, 'push' | 'isTaken' | 'forget'>;
  emit(event: Notification): void;
  /** Viewers of any other session. */
  tellViewers(notification: Notification): void;
  warn(sentence: string): void;
  /** For quiet hours (default: the clock). */
  now?(): Date;
}

/** A dialog that is answered within this time is not worth a notification. */
const BLOCKED_FOR_MS = 700;
/** Claude draws a dialog a second or two after it has reported it. */
const QUESTION_MS_MAX = 4000;
const QUESTION_EVERY_MS = 250;
/** A user who starts something shorter than this waits for it anyway. */
const EXIT_AFTER_MS = 10_000;
/** The same for a command of a shell. */
const COMMAND_MS_MIN = 10_000;
/** A shell in which one command after the other fails is worth one notification. */
const COMMAND_EVERY_MS = 10_000;
/** Ctrl-C: the user did it. */
const INTERRUPTED = 130;
const COMMAND_CHARACTERS_MAX = 60;
const CONFIDENCE_MIN = 0.5;
const TEXT_CHARACTERS_MAX = 200;
/** A test is sent once; a gateway may have to be started for it. */
const TEST_MS_MAX = 30_000;

/** What is said of it over networks, where that is less. */
interface Brief {
  readonly what?: string;
  readonly body: string;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Sessions whose present block was notified, with its start: the next dialog is a new one. */
  readonly #told = new Map<string, number>();
  /** The same for sessions that are stopped or stalled. */
  readonly #unwell = new Map<string, string>();
  /** When a command of a session was last notified. */
  readonly #commandsAt = new Map<string, number>();
  readonly #channels: NotifyChannels;
  #settings: Settings = defaultConfig().settings;
  #configAt = -1;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#channels = new NotifyChannels();
  }

  /** The present configuration. */
  get settings(): Settings {
    return this.#read();
  }

  /** Sends a notification to each channel that is configured, now, and reports what became of it. */
  async test(): Promise<{ readonly outcomes: readonly NoticeOutcome[]; readonly isQuiet: boolean }> {
    const settings = this.#read();
    const notification: Notification = {
      type: 'notification',
      at: Date.now(),
      id: '',
      name: 'spool',
      about: 'test',
      title: 'spool: this is a test',
      body: 'Notifications reach you here.',
    };
    const sent = [this.#channels.send(settings, notification), this.#testNetwork(settings, notification)];
    return { outcomes: (await Promise.all(sent)).flat(), isQuiet: this.#isQuiet(settings) };
  }

  async #testNetwork(settings: Settings, { at, title, body, name }: Notification): Promise<readonly NoticeOutcome[]> {
    const { queue } = this.#options;
    const configured = networkChannels(settings);
    if (configured.length === 0 && !queue.isTaken) return [];
    const { promise, resolve } = Promise.withResolvers<readonly NoticeOutcome[]>();
    const n = queue.push({ at, about: 'test', session: '', name, labels: {}, title, body }, resolve);
    const timer = setTimeout(() => {
      queue.forget(n);
      resolve(configured.map((channel) => ({ channel, trouble: 'no gateway has sent it; see the log of the daemon' })));
    }, TEST_MS_MAX);
    const outcomes = await promise;
    clearTimeout(timer);
    return outcomes;
  }

  statusChanged(session: Session): void {
    if (this.#isUnwell(session)) return;
    const isBlocked = session.status.state === 'blocked' && session.status.confidence >= CONFIDENCE_MIN;
    if (!isBlocked) return this.#forget(session.id);
    if (this.#told.get(session.id) === session.status.since || this.#timers.has(session.id)) return;
    this.#wait(session, BLOCKED_FOR_MS);
  }

  /** Notifies once that a session is stopped or stalled, and what can be done. True when it is. */
  #isUnwell(session: Session): boolean {
    const { kind, evidence } = session.status;
    const advice = kind === null ? undefined : ADVICE[kind];
    if (kind === null || advice === undefined) {
      this.#unwell.delete(session.id);
      return false;
    }
    if (this.#unwell.get(session.id) === kind || session.viewers.all().length > 0) return true;
    this.#unwell.set(session.id, kind);
    const why = evidence.find(({ source }) => source === 'process')?.why ?? '';
    this.#notify(session, 'health', `is ${kind}`, `${why}; ${advice(session.name)}`);
    return true;
  }

  /** A program reports its question before it draws it: the notification waits for the words, up to a limit. */
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
        { brief: { body: askingSentence(agent, question) ?? '' } },
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
    const { kind } = session.status;
    if (kind !== null && ADVICE[kind] !== undefined) this.#unwell.set(session.id, kind);
    else if (session.status.state === 'blocked') this.#told.set(session.id, session.status.since);
  }

  ended(session: Session): void {
    this.#forget(session.id);
    this.#commandsAt.delete(session.id);
    const { state, exitCode, signal, startedAt, endedAt, endedBy } = session.info;
    if (endedBy !== null && endedBy !== 'timeout') return; // the user did it, or the program that owned it is gone
    const seconds = Math.round(((endedAt ?? startedAt) - startedAt) / 1000);
    if (state === 'failed' || endedBy === 'timeout') {
      const how =
        endedBy === 'timeout' ? 'timed out' : exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
      this.#notify(session, 'failure', `failed: ${how}`, `after ${seconds} s`);
    } else if (seconds * 1000 >= EXIT_AFTER_MS) this.#notify(session, 'exit', 'has finished', `after ${seconds} s`);
  }

  /** A shell's command has failed, or has taken a while: its user may be somewhere else by now. */
  commandEnded(session: Session, { command, exitCode, durationMs, lastLine }: EndedCommand): void {
    const hasFailed = exitCode !== null && exitCode !== 0 && exitCode !== INTERRUPTED;
    if ((!hasFailed && durationMs < COMMAND_MS_MIN) || session.viewers.all().length > 0) return;
    const now = performance.now();
    if (now - (this.#commandsAt.get(session.id) ?? -Infinity) < COMMAND_EVERY_MS) return;
    this.#commandsAt.set(session.id, now);
    const how = hasFailed ? `failed with exit code ${exitCode}` : 'has finished';
    const after = `after ${Math.round(durationMs / 1000)} s`;
    const body = lastLine === '' ? after : `${after}: ${lastLine}`;
    const brief = { what: `a command ${how}`, body: after };
    this.#notify(session, 'command', `${quoted(command)} ${how}`, body, { joint: ': ', brief });
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#told.delete(id);
    this.#unwell.delete(id);
  }

  /** A failed notification must not fail the caller. */
  #notify(
    session: Session,
    about: About,
    what: string,
    body: string,
    more: { joint?: string; brief?: Brief } = {},
  ): void {
    try {
      this.#emit(session, about, { what, body, ...more });
    } catch (error) {
      this.#options.warn(`could not send a notification: ${(error as Error).message}`);
    }
  }

  #emit(
    session: Session,
    about: About,
    { what, body, joint = ' ', brief = { body } }: { what: string; body: string; joint?: string; brief?: Brief },
  ): void {
    const settings = this.#read();
    if (!settings['notify.on'].includes(about)) return;
    const titled = (saying: string): string => `${session.name}${joint}${saying}`.slice(0, TEXT_CHARACTERS_MAX);
    const notification: Notification = {
      type: 'notification',
      at: Date.now(),
      id: session.id,
      name: session.name,
      about,
      title: titled(what),
      body: body.slice(0, TEXT_CHARACTERS_MAX),
    };
    this.#options.emit(notification);
    this.#options.tellViewers(notification);
    if (this.#isQuiet(settings)) return;
    const { queue } = this.#options;
    if (queue.isTaken || networkChannels(settings).length > 0) {
      const { at, id, name } = notification;
      const said = settings['notify.details'] ? { what, body } : { what, ...brief };
      const { question, since, kind } = session.status;
      const isDriven = kind === 'permission' && session.info.driver !== undefined;
      const [title, text] = [titled(said.what), said.body.slice(0, TEXT_CHARACTERS_MAX)];
      const asked = about === 'blocked' && { question, since, isDriven };
      queue.push({ at, about, session: id, name, labels: session.labels, title, body: text, ...asked });
    }
    void this.#channels.send(settings, notification).then((outcomes) => {
      for (const { trouble } of outcomes) if (trouble !== null) this.#options.warn(trouble);
    });
  }

  #isQuiet(settings: Settings): boolean {
    return isQuiet(settings['notify.quietHours'], this.#options.now?.() ?? new Date());
  }

  #read(): Settings {
    const { configFile } = this.#options;
    const changedAt = files.statSync(configFile, { throwIfNoEntry: false })?.mtimeMs ?? -1;
    if (changedAt === this.#configAt && changedAt !== -1) return this.#settings;
    this.#configAt = changedAt;
    const { settings, faults } = readConfig(configFile, files);
    for (const { key, line, says } of faults)
      if (key === '' || key === 'notify' || key.startsWith('notify.'))
        this.#options.warn(`${configFile}${line === null ? '' : `:${line}`}: ${says}`);
    return (this.#settings = settings);
  }
}

function networkChannels(settings: Settings): NoticeChannel[] {
  return (['webhook', 'ntfy'] as const).filter((channel) => settings[`notify.${channel}`] !== null);
}

/** What can be done about a session that is not well, by the kind of its status. */
const ADVICE: Readonly<Record<string, (name: string) => string>> = {
  stopped: (name) => `continue it: spool kill -s CONT ${name}, or end it: spool kill ${name}`,
  stalled: (name) => `look at it: spool attach ${name}, or end it: spool stop ${name}`,
};

/** Control characters do not belong in a notification. */
function quoted(command: string | null): string {
  if (command === null) return 'a command';
  const text = cleanText(command, COMMAND_CHARACTERS_MAX + 1).trim();
  return text.length > COMMAND_CHARACTERS_MAX ? `${text.slice(0, COMMAND_CHARACTERS_MAX)}…` : text;
}
