/** Verbs about other machines. */
import type { Verb } from '../arguments.ts';

export const REMOTE_VERBS = {
  context: {
    summary: 'save other machines, and choose the one that commands go to',
    operands: ['add|use|ls|rm', '[NAME]', '[URL]'],
    flags: {
      quiet: { kind: 'on', short: 'q', about: 'ls: print only the names' },
      'token-file': {
        kind: 'text',
        value: 'FILE',
        about: 'add: read the token from this file (default: from stdin)',
      },
    },
    details: [
      '`add NAME URL` saves a machine whose gateway is at URL. `spool token create` on that machine makes the token. `use NAME`',
      'makes all commands go there, `use local` brings them back. For one command: spool --context NAME VERB, or',
      'spool --host URL --token-file FILE VERB (also SPOOL_HOST and SPOOL_TOKEN_FILE).',
      'On another machine, `run` starts in your home folder there, with your environment there; --env sends variables of yours.',
    ].join('\n'),
    examples: [
      ['spool context add work https://work.example --token-file token', 'save it'],
      ['spool context use work', 'from now on, all commands go there'],
      ['spool context use local', 'back to this machine'],
    ],
  },
} as const satisfies Record<string, Verb>;
