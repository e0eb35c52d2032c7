/** Sends a notification beyond the daemon's clients on this machine: to the desktop, to a command. Gateways send over the network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { DaemonEvent, NoticeOutcome } from '@spool/protocol';
import type { UserSettings } from '@spool/protocol/config';

export type Notification = Extract<DaemonEvent, { type: 'notification' }>;

const COMMAND_MS_MAX = 30_000;
const AT_ONCE_MAX = 8;

export class NotifyChannels {
  #underWay = 0;

  async send(settings: UserSettings, notification: Notification): Promise<readonly NoticeOutcome[]> {
    const { 'notify.desktop': desktop, 'notify.command': command } = settings;
    const sent: Promise<NoticeOutcome>[] = [];
    const { title, body } = notification;
    const json = JSON.stringify(notification);
    if (desktop)
      sent.push(this.#one('desktop', () => runCommand(['notify-send', '--app-name=spool', '--', title, body], '')));
    if (command) sent.push(this.#one('command', () => runCommand(command, json, notification)));
    return await Promise.all(sent);
  }

  async #one(channel: NoticeOutcome['channel'], send: () => Promise<string | null>): Promise<NoticeOutcome> {
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
    // Most failures are reported by an event; ENOTDIR, E2BIG and others are thrown.
    fail(`could not be started: ${(error as Error).message}`);
    return promise;
  }
  child.stdin?.on('error', () => {}); // the command does not read its input
  child.stdin?.end(input);
  child.on('error', (error) => fail(`could not be started: ${error.message}`));
  child.on('close', (code, signal) => (code === 0 ? resolve(null) : fail(`ended with ${code ?? signal}`)));
  return promise;
}
