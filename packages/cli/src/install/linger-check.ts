/** Checks whether sessions survive a logout, for `spool doctor`. Keeps INST-3. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { DoctorFinding } from '../verbs/doctor.ts';
import { hasUnit, LINGER_FOLDER } from './service.ts';

const CHECK = 'linger';
/** Exists where systemd is the init process. */
const SYSTEMD = '/run/systemd/system';

export interface LingerSigns {
  readonly hasSystemd: boolean;
  readonly hasService: boolean;
  readonly isOn: boolean;
}

export function lingerCheck(signs: LingerSigns = presentSigns()): DoctorFinding {
  if (!signs.hasSystemd) return { check: CHECK, level: 'ok', says: 'not needed: systemd does not run here' };
  if (signs.isOn) return { check: CHECK, level: 'ok', says: 'on: the daemon and its sessions survive a logout' };
  if (signs.hasService) {
    const says = 'off, so a logout stops the daemon that spool.service has started, with its sessions';
    return { check: CHECK, level: 'warn', says, todo: 'run loginctl enable-linger' };
  }
  return { check: CHECK, level: 'ok', says: 'off; needed only for spool.service, which is not installed' };
}

function presentSigns(): LingerSigns {
  return {
    hasSystemd: existsSync(SYSTEMD),
    hasService: hasUnit(),
    isOn: existsSync(`${LINGER_FOLDER}/${userName()}`),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return ''; // a user without an entry in the list of accounts cannot linger
  }
}
