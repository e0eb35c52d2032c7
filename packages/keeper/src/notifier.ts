/**
 * Notifies users who are not attached that a session needs them: it is blocked, has failed, or has ended after a while.
 * It never notifies about a session that has a viewer. Keeps STATE-6, STATE-21, STATE-40 and NODE-46.
 *
 * All clients that follow events get the notification, and so do viewers of other sessions. Other channels are used only if the
 * user has configured them: this process notifies the desktop and runs a command; a gateway sends over networks. A notification
 * that leaves the machine contains the name of the session and its question, and no other part of its screen (NOTE-4).
 */
import * as files from 'node:fs';
import { askingSentence, type NoticeChannel, type NoticeOutcome, type Requests, type Status } from '@spool/protocol';
import { defaultConfig, isQuiet, readConfig, type NotifyAbout, type UserSettings } from '@spool/protocol/config';
import { longDuration } from '@spool/protocol/duration';
import { cleanText } from '@spool/vt';
import type { NoticeQueue } from './gateway/notice-queue.ts';
import { type Notification, NotifyChannels } from './notify-channels.ts';
import type { EndedCommand } from './screens/messages.ts';
import type { KeeperSession } from './sessions/session.ts';

type About = NotifyAbout;

export interface NotifierOptions {
  readonly configFile: string;
  /** The queue of notices that are sent over networks. */
  readonly queue: Pick<NoticeQueue, 'push' | 'isTaken' | 'forget'>;
  emit(event: Notification): void;
  /** Notifies the viewers of all other sessions. */
  tellViewers(notification: Notification): void;
  warn(sentence: string): void;
  /** Returns the time, for quiet hours (default: the clock). */
  now?(): Date;
}

/** A dialog that is answered within this time is not worth a notification. */
const BLOCKED_FOR_MS = 700;
/** The maximum wait for the words of a question: Claude draws a dialog a second or two after it has reported it. */
const QUESTION_MS_MAX = 4000;
const QUESTION_EVERY_MS = 250;
/** The minimum run time for a notification of the end: a user waits for a shorter run anyway. */
const EXIT_AFTER_MS = 10_000;
/** The same minimum for a command of a shell. */
const COMMAND_MS_MIN = 10_000;
/** The interval between notifications about commands: a shell whose commands fail one after the other causes one. */
const COMMAND_EVERY_MS = 10_000;
/** The exit code after Ctrl-C: the user interrupted the command. */
const INTERRUPTED = 130;
const COMMAND_CHARACTERS_MAX = 60;
const CONFIDENCE_MIN = 0.5;
const TEXT_CHARACTERS_MAX = 200;
/** The maximum length of a request's text; the end of a longer one is replaced by the number of omitted characters. */
const REQUEST_CHARACTERS_MAX = 4000;
/** The time limit of a test, which is sent once; a gateway may have to be started for it. */
const TEST_MS_MAX = 30_000;

/** The text for networks, if it is shorter. */
interface NetworkText {
  readonly what?: string;
  readonly body: string;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** The sessions whose present dialog was notified, with its identity: the next dialog is a new one. */
  readonly #told = new Map<string, number | string>();
  /** The same for sessions that are stopped or stalled. */
  readonly #unwell = new Map<string, string>();
  /** The time of the last notification about a command, by session. */
  readonly #commandsAt = new Map<string, number>();
  readonly #channels: NotifyChannels;
  #settings: UserSettings = defaultConfig().settings;
  #configAt = -1;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#channels = new NotifyChannels();
  }

  /** The present configuration. */
  get settings(): UserSettings {
    return this.#read();
  }

  /** Sends a notification to each configured channel, now, and reports the outcomes. */
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

  async #testNetwork(
    settings: UserSettings,
    { at, title, body, name }: Notification,
  ): Promise<readonly NoticeOutcome[]> {
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

  statusChanged(session: KeeperSession): void {
    if (this.#isUnwell(session)) return;
    const isBlocked = session.status.state === 'blocked' && session.status.confidence >= CONFIDENCE_MIN;
    if (!isBlocked) return this.#forget(session.id);
    if (this.#told.get(session.id) === dialogOf(session.status) || this.#timers.has(session.id)) return;
    this.#wait(session, BLOCKED_FOR_MS);
  }

  /** Notifies once that a session is stopped or stalled, with advice. Returns whether it is stopped or stalled. */
  #isUnwell(session: KeeperSession): boolean {
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

  /** Delays the notification: a program reports its question before it draws it, so this waits for the words, up to a limit. */
  #wait(session: KeeperSession, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(session.id);
      if (!session.isRunning || session.status.state !== 'blocked' || session.viewers.all().length > 0) return;
      const { activity, kind, evidence, since, agent, question, source } = session.status;
      if (question === undefined && source !== 'screen' && Date.now() - since < QUESTION_MS_MAX)
        return this.#wait(session, QUESTION_EVERY_MS);
      this.#told.set(session.id, dialogOf(session.status));
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

  /** Notifies about events that came up before a viewer left, but repeats no earlier notification. */
  viewerLeft(session: KeeperSession): void {
    if (session.isRunning && session.viewers.all().length === 0) this.statusChanged(session);
  }

  /** Notes a state that is older than this keeper, and was already notified. */
  restored(session: KeeperSession): void {
    const { kind } = session.status;
    if (kind !== null && ADVICE[kind] !== undefined) this.#unwell.set(session.id, kind);
    else if (session.status.state === 'blocked') this.#told.set(session.id, dialogOf(session.status));
  }

  ended(session: KeeperSession): void {
    this.#forget(session.id);
    this.#commandsAt.delete(session.id);
    const { state, exitCode, signal, startedAt, endedAt, endedBy } = session.info;
    if (endedBy !== null && endedBy !== 'timeout') return; // the user ended it, or the program that owned it is gone
    const tookMs = (endedAt ?? startedAt) - startedAt;
    if (state === 'failed' || endedBy === 'timeout') {
      const how =
        endedBy === 'timeout' ? 'timed out' : exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
      this.#notify(session, 'failure', `failed: ${how}`, `after ${longDuration(tookMs)}`);
    } else if (tookMs >= EXIT_AFTER_MS) this.#notify(session, 'exit', 'has finished', `after ${longDuration(tookMs)}`);
  }

  /** Notifies that a shell's command has failed, or has taken a while: its user may be elsewhere by now. */
  commandEnded(session: KeeperSession, { command, exitCode, durationMs, lastLine }: EndedCommand): void {
    const hasFailed = exitCode !== null && exitCode !== 0 && exitCode !== INTERRUPTED;
    if ((!hasFailed && durationMs < COMMAND_MS_MIN) || session.viewers.all().length > 0) return;
    const now = performance.now();
    if (now - (this.#commandsAt.get(session.id) ?? -Infinity) < COMMAND_EVERY_MS) return;
    this.#commandsAt.set(session.id, now);
    const how = hasFailed ? `failed with exit code ${exitCode}` : 'has finished';
    const after = `after ${longDuration(durationMs)}`;
    const body = lastLine === '' ? after : `${after}: ${lastLine}`;
    const brief = { what: `a command ${how}`, body: after };
    this.#notify(session, 'command', `${quoteCommand(command)} ${how}`, body, { joint: ': ', brief });
  }

  /**
   * Notifies about a session of a node, as the node has decided. Clients that follow events get it from the node itself. The text
   * comes from another machine, so a network gets only the title.
   */
  ofNode({ node, session, name, about, title, body }: Requests['nodeNotice']['ask']): void {
    const settings = this.#read();
    if (!settings['notify.on'].includes(about)) return;
    const clean = (text: string): string => shortened(cleanText(text, REQUEST_CHARACTERS_MAX), TEXT_CHARACTERS_MAX);
    const notification: Notification = {
      type: 'notification',
      at: Date.now(),
      id: `${node}/${session}`,
      name: clean(`${node}/${name}`),
      about,
      title: clean(`${node}/${title}`),
      body: clean(body),
    };
    this.#options.tellViewers(notification);
    if (this.#isQuiet(settings)) return;
    const { queue } = this.#options;
    const { at, id, name: shown, title: said } = notification;
    if (queue.isTaken || networkChannels(settings).length > 0)
      queue.push({ at, about, session: id, name: shown, labels: {}, title: said, body: '' });
    void this.#channels.send(settings, notification).then((outcomes) => {
      for (const { trouble } of outcomes) if (trouble !== null) this.#options.warn(trouble);
    });
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#told.delete(id);
    this.#unwell.delete(id);
  }

  /** Sends a notification; a failure must not reach the caller. */
  #notify(
    session: KeeperSession,
    about: About,
    what: string,
    body: string,
    more: { joint?: string; brief?: NetworkText } = {},
  ): void {
    try {
      this.#emit(session, about, { what, body, ...more });
    } catch (error) {
      this.#options.warn(`could not send a notification: ${(error as Error).message}`);
    }
  }

  #emit(
    session: KeeperSession,
    about: About,
    { what, body, joint = ' ', brief = { body } }: { what: string; body: string; joint?: string; brief?: NetworkText },
  ): void {
    const settings = this.#read();
    if (!settings['notify.on'].includes(about)) return;
    const request = about === 'blocked' ? session.status.requests?.[0] : undefined;
    const charactersMax = request ? REQUEST_CHARACTERS_MAX : TEXT_CHARACTERS_MAX;
    const titled = (saying: string): string => `${session.name}${joint}${saying}`.slice(0, TEXT_CHARACTERS_MAX);
    const notification: Notification = {
      type: 'notification',
      at: Date.now(),
      id: session.id,
      name: session.name,
      about,
      title: titled(what),
      body: shortened(body, charactersMax),
    };
    this.#options.emit(notification);
    this.#options.tellViewers(notification);
    if (this.#isQuiet(settings)) return;
    const { queue } = this.#options;
    if (queue.isTaken || networkChannels(settings).length > 0) {
      const { at, id, name } = notification;
      const said = settings['notify.details'] ? { what, body } : { what, ...brief };
      const { question, since } = session.status;
      const [title, text] = [titled(said.what), shortened(said.body, charactersMax)];
      const asked = about === 'blocked' && { question, since, ...(request && { request }) };
      queue.push({ at, about, session: id, name, labels: session.labels, title, body: text, ...asked });
    }
    void this.#channels.send(settings, notification).then((outcomes) => {
      for (const { trouble } of outcomes) if (trouble !== null) this.#options.warn(trouble);
    });
  }

  #isQuiet(settings: UserSettings): boolean {
    return isQuiet(settings['notify.quietHours'], this.#options.now?.() ?? new Date());
  }

  #read(): UserSettings {
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

function networkChannels(settings: UserSettings): NoticeChannel[] {
  return (['webhook', 'ntfy'] as const).filter((channel) => settings[`notify.${channel}`] !== null);
}

/** The advice for a session that is not healthy, by the kind of its status. */
const ADVICE: Readonly<Record<string, (name: string) => string>> = {
  stopped: (name) => `continue it: spool kill -s CONT ${name}, or end it: spool kill ${name}`,
  stalled: (name) => `look at it: spool attach ${name}, or end it: spool stop ${name}`,
};

/** Quotes a command without control characters. */
function quoteCommand(command: string | null): string {
  if (command === null) return 'a command';
  const text = cleanText(command, COMMAND_CHARACTERS_MAX + 1).trim();
  return text.length > COMMAND_CHARACTERS_MAX ? `${text.slice(0, COMMAND_CHARACTERS_MAX)}…` : text;
}

/** Returns the identity of a dialog: the digest of a request; otherwise the time when it began. */
function dialogOf({ requests, since }: Pick<Status, 'requests' | 'since'>): number | string {
  return requests?.[0]?.digest ?? since;
}

/** Shortens a text and adds the number of omitted characters, so that the beginning is not mistaken for the whole. */
function shortened(text: string, charactersMax: number): string {
  const left = text.length - charactersMax;
  return left > 0 ? `${text.slice(0, charactersMax)}… (+${left} characters)` : text;
}
