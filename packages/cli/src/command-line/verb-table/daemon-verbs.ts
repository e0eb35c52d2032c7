/** Verbs about the daemon and its configuration. */
import type { Verb } from '../arguments.ts';

export const DAEMON_VERBS = {
  daemon: {
    summary: 'start, stop, restart or show the daemon',
    operands: ['start|stop|status|restart'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'stop: time that sessions get to end (default: 5s)',
      },
      force: { kind: 'on', short: 'f', about: 'stop, restart: do not ask before ending running sessions' },
    },
    details: [
      'The first verb that needs the daemon starts it. `stop` ends all sessions and keeps their output. If sessions are running,',
      'it asks for confirmation at a terminal, but not in a script.',
      '`restart` replaces the daemon processes one by one with the version on disk. Sessions keep running; attached terminals',
      'pause briefly. Where this is not possible, `restart` refuses without --force.',
      '`status` does not start a daemon: if none is running, it says so and the exit code is 1.',
    ].join('\n'),
    examples: [
      ['spool daemon status', 'whether it is running, uptime, memory'],
      ['spool daemon restart', 'after an upgrade'],
    ],
  },
  config: {
    summary: 'check and show your configuration',
    operands: ['check|path|show'],
    flags: {},
    details: [
      '`check` names every mistake with its line; the exit code is 1 if a value cannot be used. `path` prints where the file is.',
      '`show` prints every setting, its value and where it comes from.',
    ].join('\n'),
    examples: [
      ['spool config check', 'after a change'],
      ['spool config show', 'what applies, and why'],
    ],
  },
  notify: {
    summary: 'test your notifications',
    operands: ['test'],
    flags: {},
    details: [
      '`test` sends a notification to each configured channel and says whether it was delivered. The exit code is 1 if one',
      'failed, or none is configured. The daemon sends it, in its own environment.',
    ].join('\n'),
    examples: [['spool notify test', 'does it reach you?']],
  },
  doctor: {
    summary: 'check the installation and suggest fixes',
    operands: ['[rules]'],
    flags: {},
    details: [
      '`doctor` starts no daemon. It also checks your own rules and milestones. The exit code is 1 if a check failed; warnings do',
      'not count. `rules` applies all rules, yours too, to the screens that you saved with `spool explain --save`; a screen that',
      'is misread is a failed check.',
    ].join('\n'),
    examples: [
      ['spool doctor', 'one line per check'],
      ['spool doctor rules', 'test the rules on your saved screens'],
    ],
  },
} as const satisfies Record<string, Verb>;
