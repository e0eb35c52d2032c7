/** Verbs that type into a session. */
import type { Verb } from '../arguments.ts';
import { WAIT_WORDS } from './shared-flags.ts';

export const INPUT_VERBS = {
  send: {
    summary: 'type text into a session',
    operands: ['ID', '[TEXT…]'],
    flags: {
      enter: { kind: 'on', short: 'e', about: 'press Enter afterwards' },
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'send the contents of this file; - is stdin' },
      key: { kind: 'text', value: 'KEY', about: 'idempotency key: text with the same key is sent only once' },
      latest: { kind: 'on', short: 'l', about: 'use the latest session: omit ID, all operands are TEXT' },
    },
    details:
      'Several TEXT operands are joined by spaces. The text is sent as it is; only --enter adds Enter. A single - reads TEXT\nfrom stdin. `send` returns when the session has received the bytes.',
    examples: [
      ['spool send api --enter "run the tests"', 'type a line and press Enter'],
      ['git diff | spool send api -', 'type the output of another program'],
    ],
  },
  paste: {
    summary: 'paste text into a session',
    operands: ['ID', '[TEXT…]'],
    flags: {
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'paste the contents of this file; - is stdin' },
      latest: { kind: 'on', short: 'l', about: 'use the latest session: omit ID, all operands are TEXT' },
    },
    details: 'If the program supports bracketed paste, newlines in the text do not submit it.',
    examples: [['spool paste claude --file notes.md', 'a file, as one paste']],
  },
  prompt: {
    summary: 'submit a prompt to an agent or a shell and confirm that it reacted',
    operands: ['ID', '[TEXT…]'],
    flags: {
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'read the prompt from this file; - is stdin' },
      latest: { kind: 'on', short: 'l', about: 'use the latest session: omit ID, all operands are TEXT' },
      key: { kind: 'text', value: 'KEY', about: 'idempotency key: a prompt with the same key is typed only once' },
      clear: { kind: 'on', about: 'clear the input line first' },
      force: {
        kind: 'on',
        about: 'type even if the session is asking, is a shell that runs a command, or has text in its input line',
      },
      confirm: {
        kind: 'duration',
        value: 'DUR',
        about: 'how long to wait for a reaction (default: 3s; 15s for agents)',
      },
      ready: { kind: 'duration', value: 'DUR', about: 'how long to wait for an agent that starts (default: 30s)' },
      wait: {
        kind: 'text',
        value: 'WHAT',
        words: WAIT_WORDS,
        short: 'w',
        about:
          'then wait for a condition: idle, blocked, exit, … (see spool wait); prints the answer of an agent without a terminal',
      },
      timeout: {
        kind: 'duration',
        value: 'DUR',
        short: 't',
        about: 'with --wait: stop waiting after this time (exit code 124)',
      },
    },
    details: [
      '`prompt` pastes the text, presses Enter separately and then checks that the session reacts.',
      'Exit code: 0 if the session reacted; 1 if no reaction was seen; 4 if nothing was typed.',
      'Nothing is typed while the session asks something (Enter might answer it), while it prints too fast to check that,',
      'while the input line of a shell or a known agent contains text, or while a shell runs a command.',
      '--clear clears the input line; --force types anyway.',
    ].join('\n'),
    examples: [
      ['spool prompt claude "run the tests" --wait idle,blocked', 'and wait until it is done or asks something'],
      ['spool prompt codex --file task.md --key task-7', 'typed once, however often you run this'],
    ],
  },
  keys: {
    summary: 'press keys in a session',
    operands: ['ID', '[KEY…]'],
    flags: { latest: { kind: 'on', short: 'l', about: 'use the latest session: omit ID, all operands are KEYs' } },
    details: [
      'Keys: Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown F1 to F12, or any single',
      'character. Prefixes: C- (Ctrl), M- (Alt), S- (Shift), as in C-c, M-x, S-Tab, C-Left.',
      'One operand may contain several keys: "C-c Enter M-x".',
    ].join('\n'),
    examples: [
      ['spool keys api C-c', 'interrupt'],
      ['spool keys api Down Down Enter', 'select the third entry of a menu'],
    ],
  },
} as const satisfies Record<string, Verb>;
