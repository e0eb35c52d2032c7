/** Installs, shows and removes the systemd user unit of the daemon. Keeps INST-2. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { ProgramLocation } from '../program.ts';
import { accountFolders } from './account-folders.ts';
import { ownCommand } from './own-command.ts';
import { isOurUnit, UNIT, unitText } from './unit-file.ts';

/** The time limit of systemd's answer: it usually takes milliseconds, but longer while a machine boots. */
const ANSWER_MS_MAX = 20_000;
export const LINGER_FOLDER = '/var/lib/systemd/linger';

export interface ServiceStatus {
  /** Whether the user's systemd answers. */
  readonly systemd: boolean;
  readonly path: string;
  readonly installed: boolean;
  /** Whether the unit starts the present installation, in the present form. */
  readonly current: boolean;
  readonly enabled: boolean;
  readonly active: boolean;
  /** Whether the user's services run without a login. */
  readonly linger: boolean;
}

export async function serviceStatus(program: ProgramLocation): Promise<ServiceStatus> {
  const path = unitPath();
  const text = readOrNull(path);
  const [systemd, enabled, active] = await Promise.all([
    doesAnswer(),
    says('is-enabled', 'enabled'),
    says('is-active', 'active'),
  ]);
  const linger = existsSync(`${LINGER_FOLDER}/${userInfo().username}`);
  return { systemd, path, installed: text !== null, current: text === wanted(program), enabled, active, linger };
}

/** Writes the unit and enables it. Throws if the file belongs to another program. */
export async function installService(program: ProgramLocation): Promise<void> {
  checkOurs();
  const path = unitPath();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted(program));
  if (!(await doesAnswer())) return;
  await systemctl('daemon-reload');
  await systemctl('enable', UNIT);
}

/**
 * Disables the unit and deletes it; returns whether there was one. Throws if the file belongs to another program; with `ifOurs` it
 * is left alone. No session ends.
 */
export async function removeService({ ifOurs = false } = {}): Promise<boolean> {
  const path = unitPath();
  const text = readOrNull(path);
  if (text === null || (ifOurs && !isOurUnit(text))) return false;
  checkOurs();
  if (await doesAnswer()) await systemctl('disable', UNIT);
  rmSync(path);
  if (await doesAnswer()) await systemctl('daemon-reload');
  return true;
}

/** Returns the line for a machine without systemd. */
export function cronLine(program: ProgramLocation): string {
  const words = [...ownCommand(program), 'daemon', 'start'];
  return `@reboot ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`;
}

const wanted = (program: ProgramLocation): string => unitText(ownCommand(program));

/** Returns whether there is a unit. An account without a home folder has no unit. */
export function hasUnit(): boolean {
  return process.env['HOME']?.startsWith('/') === true && existsSync(unitPath());
}

function unitPath(): string {
  return `${accountFolders(process.env).config}/systemd/user/${UNIT}`;
}

function checkOurs(): void {
  const text = readOrNull(unitPath());
  if (text !== null && !isOurUnit(text)) throw new Error(`${unitPath()} was not written by spool; move it away first`);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

async function doesAnswer(): Promise<boolean> {
  return await systemctl('show-environment').then(
    () => true,
    () => false,
  );
}

async function says(question: string, answer: string): Promise<boolean> {
  const said = await systemctl(question, UNIT).catch((error: { stdout?: string }) => error.stdout ?? '');
  return said.trim() === answer;
}

async function systemctl(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('systemctl', ['--user', '--no-pager', ...args], {
    timeout: ANSWER_MS_MAX,
  });
  return stdout;
}
