/** Verbs that put Spool into the user's account. */
import type { Verb } from '../arguments.ts';

export const INSTALL_VERBS = {
  service: {
    summary: 'start the daemon at login or boot (systemd)',
    operands: ['install|status|remove'],
    flags: {},
    details: [
      '`install` writes the user unit spool.service and enables it. systemd then starts the daemon when you log in; after `loginctl',
      'enable-linger`, when the machine boots, and your sessions survive a logout. Stopping or restarting the unit ends no session:',
      '`spool daemon stop` does. `remove` disables and deletes the unit. A reboot ends all sessions; `spool rerun --lost` starts them again.',
      'Without systemd, `install` prints a line for cron.',
    ].join('\n'),
    examples: [
      ['spool service install', 'once'],
      ['spool service status', 'whether it is installed, enabled and running, and about linger'],
    ],
  },
} as const satisfies Record<string, Verb>;
