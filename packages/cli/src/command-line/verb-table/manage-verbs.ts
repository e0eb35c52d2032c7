/** Verbs that end, remove and change sessions. */
import type { Verb } from '../arguments.ts';
import { SIZE_POLICY } from './shared-flags.ts';

/** Flags for verbs that end or delete sessions. */
const BULK = {
  'older-than': { kind: 'age', value: 'AGE' },
  yes: { kind: 'on', short: 'y', about: 'do not ask for confirmation; needed without a terminal' },
} as const;

export const MANAGE_VERBS = {
  stop: {
    summary: 'stop sessions (SIGTERM, then SIGKILL after --grace)',
    operands: ['[ID…]'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'time between SIGTERM and SIGKILL (default: 5s)',
      },
      all: { kind: 'on', short: 'a', about: 'stop all running sessions' },
      'older-than': {
        ...BULK['older-than'],
        about: 'stop the running sessions that started longer ago than this: 12h, 2d',
      },
      yes: BULK.yes,
      'with-services': {
        kind: 'on',
        about: 'also end processes that serve other sessions, such as the service of an agent',
      },
    },
    details: [
      'Returns when the sessions and all their processes have ended. A process that also serves other sessions is left running and listed:',
      'the first terminal of an agent may start one service for all its terminals.',
    ].join('\n'),
    examples: [
      ['spool stop --grace 30s api', 'give it 30 seconds to end'],
      ['spool stop --all', 'all of them, after a confirmation'],
    ],
  },
  kill: {
    summary: 'kill sessions immediately, or send them a signal',
    operands: ['[ID…]'],
    flags: {
      signal: {
        kind: 'text',
        value: 'NAME',
        short: 's',
        about:
          'send this signal: INT, SIGTERM, USR1, 15, … (default: KILL, which ends the session and all its processes)',
      },
      all: { kind: 'on', short: 'a', about: 'all running sessions' },
      'older-than': { ...BULK['older-than'], about: 'the running sessions that started longer ago than this: 12h, 2d' },
      yes: BULK.yes,
    },
    signalFlag: 'signal',
    details: 'As in kill(1), -9 and -HUP are accepted too.',
    examples: [
      ['spool kill api', 'kill it and all its processes'],
      ['spool kill -s USR1 api', 'send a signal'],
    ],
  },
  rm: {
    summary: 'remove sessions and delete their output',
    operands: ['[ID…]'],
    flags: {
      force: { kind: 'on', short: 'f', about: 'kill sessions that are still running, then remove them' },
      ended: { kind: 'on', about: 'remove all ended sessions' },
      'older-than': {
        ...BULK['older-than'],
        about: 'remove the sessions that ended longer ago than this: 12h, 2d, 8w',
      },
      all: { kind: 'on', short: 'a', about: 'remove all sessions; running ones only with --force' },
      yes: BULK.yes,
    },
    examples: [
      ['spool rm build', 'remove one session'],
      ['spool rm --older-than 2d', 'remove the sessions that ended more than two days ago'],
      ['spool rm --ended --yes', 'remove all ended sessions, without asking'],
    ],
  },
  rename: {
    summary: 'rename a session',
    operands: ['ID', 'NAME'],
    flags: {},
    examples: [['spool rename k3fx api', 'rename the session k3fx… to api']],
  },
  update: {
    summary: "change a session's name, labels or size policy",
    operands: ['[ID]'],
    flags: {
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'the new name' },
      label: {
        kind: 'text',
        value: 'KEY=VALUE',
        short: 'l',
        many: true,
        about: 'set a label; an empty value removes it (repeatable)',
      },
      'size-policy': SIZE_POLICY,
    },
    examples: [['spool update --size-policy smallest api', 'so that every viewer sees the whole screen']],
  },
  rerun: {
    summary: 'start the command of an ended session again',
    operands: ['[ID…]'],
    flags: {
      lost: { kind: 'on', about: 'all lost sessions that were not started again yet, after showing the list' },
      yes: { kind: 'on', short: 'y', about: 'with --lost: do not ask for confirmation; needed without a terminal' },
    },
    details: [
      'Starts a new session with the same command, folder, size, name and labels, and prints its id. The environment is that of this shell,',
      'as for `run`. The old session keeps its output. An agent continues its own conversation, if it has reported one.',
      'After a reboot, sessions that ran read `lost`.',
    ].join('\n'),
    examples: [
      ['spool rerun build', 'once more'],
      ['spool rerun --lost', 'after a reboot'],
    ],
  },
} as const satisfies Record<string, Verb>;
