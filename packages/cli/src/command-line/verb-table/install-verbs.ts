/** Verbs that put Spool into the user's account. */
import type { Verb } from '../arguments.ts';

export const INSTALL_VERBS = {
  install: {
    summary: 'put spool into your PATH, with its manual page',
    operands: [],
    flags: {
      completions: { kind: 'on', about: 'also install completions for bash, zsh and fish' },
      service: { kind: 'on', about: 'also start the daemon at login or boot (see spool service)' },
    },
    details: [
      'Links ~/.local/bin/spool to this installation and writes the manual page; prints what it has written. A file of another program is',
      'never replaced. `spool uninstall` removes exactly these files.',
    ].join('\n'),
    examples: [
      ['spool install --completions', 'from a clone: ./spool install --completions'],
      ['spool install --service', 'also start it at login'],
    ],
  },
  uninstall: {
    summary: 'remove what `spool install` has written',
    operands: [],
    flags: {},
    details:
      'Also removes the service. A file that was changed since is left. The daemon, its sessions and their logs stay.',
    examples: [['spool uninstall', 'prints what it has removed']],
  },
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
