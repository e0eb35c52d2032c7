/** Verbs that start sessions and connect a terminal to them. */
import type { Verb } from '../arguments.ts';
import { HISTORY, HISTORY_LINES_MAX, SIZE_POLICY } from './shared-flags.ts';

const QUIET = { kind: 'on', short: 'q', about: 'print no notices from spool' } as const;

const DETACH_KEYS = {
  kind: 'text',
  value: 'KEYS',
  about: 'detach with these keys: C-q, or C-p,C-q, or none (default: Ctrl-\\)',
} as const;

/** The flags for the session's permissions on the user's terminal, besides drawing. */
const PERMISSIONS = {
  'allow-clipboard': { kind: 'on', about: 'allow the session to write to your clipboard (it can never read it)' },
  'allow-colours': { kind: 'on', about: "allow the session to change your terminal's colours (restored afterwards)" },
  'allow-graphics': { kind: 'on', about: 'allow the session to show images (sixel, kitty)' },
} as const;

const NO_NOTICES = {
  kind: 'on',
  about: 'do not notify you through your terminal (OSC 9) when another session needs you',
} as const;

const JSON_OUTPUT = {
  'json-output': {
    kind: 'on',
    also: 'stream-output',
    about: 'also write its output to stderr as text events, one JSON object per line (also: --stream-output)',
  },
  'json-file': { kind: 'text', value: 'FILE', about: 'append these events to FILE instead (with -d: until it ends)' },
  'flush-ms': { kind: 'whole', value: 'MS', most: 60_000, about: 'collect text for MS at most (default: 100)' },
} as const;

export const RUN_VERBS = {
  run: {
    summary: 'start a command, or your shell, in a new session',
    operands: ['[COMMAND…]'],
    flags: {
      detach: { kind: 'on', short: 'd', about: 'do not attach: print the session id and return' },
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'the name of the session' },
      label: { kind: 'text', value: 'KEY=VALUE', short: 'l', many: true, about: 'a label (repeatable)' },
      cwd: { kind: 'text', value: 'DIR', short: 'C', about: 'the working folder (default: the current one)' },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'set an environment variable; without a value, copy yours (repeatable)',
      },
      'inherit-env': { kind: 'on', about: 'pass the whole environment instead of the allow-list' },
      size: {
        kind: 'size',
        value: 'COLSxROWS',
        about: 'the size of its terminal (default: the size of yours, or 80x24)',
      },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'stop the session after this time' },
      'idle-timeout': {
        kind: 'duration',
        also: 'idleTimeout',
        value: 'DUR',
        about: 'stop the session when it has done nothing for this long: no output, no input, no CPU time',
      },
      headless: {
        kind: 'on',
        also: 'pipes',
        about: 'use pipes instead of a terminal; keeps stdout and stderr separate (also: --pipes)',
      },
      agent: {
        kind: 'text',
        value: 'NAME',
        words: ['claude', 'codex', 'gemini', 'grok', 'opencode', 'acp'],
        about:
          'run this agent without a terminal: the operands are its first prompt; spool attach and spool logs show it',
      },
      model: { kind: 'text', value: 'MODEL', about: 'with --agent: the model' },
      mode: { kind: 'text', value: 'MODE', about: "with --agent: the agent's own permission mode" },
      resume: {
        kind: 'text',
        value: 'SESSION',
        about: "with --agent: resume an ended session of Spool, or one of the agent's own sessions",
      },
      'budget-usd': { kind: 'text', value: 'USD', about: 'with --agent: stop when this much is spent' },
      'max-turns': {
        kind: 'whole',
        value: 'N',
        most: 1_000_000,
        about: 'with --agent: stop after N model requests in a turn',
      },
      image: {
        kind: 'text',
        value: 'FILE',
        many: true,
        about: 'with --agent: add an image to the prompt (repeatable)',
      },
      program: {
        kind: 'text',
        value: 'COMMAND',
        about: 'with --agent: the program and its first arguments (default: NAME)',
      },
      'no-side-channel': {
        kind: 'on',
        about:
          'run an agent in a terminal exactly as typed: Codex without its own app-server, Claude without events (see docs/agents.md)',
      },
      ...JSON_OUTPUT,
      'size-policy': SIZE_POLICY,
      'detach-keys': DETACH_KEYS,
      'no-notices': NO_NOTICES,
      quiet: QUIET,
      ...PERMISSIONS,
      raw: {
        kind: 'on',
        about: 'without a terminal: write the exact bytes with escape sequences (default: plain text)',
      },
      summary: { kind: 'on', about: 'print a summary to stderr when the session ends (see spool summary)' },
      retain: { kind: 'bytes', value: 'SIZE', about: 'keep at most this much output; the oldest is deleted first' },
    },
    details: [
      'In a terminal, `run` attaches to the session; Ctrl-\\ detaches and leaves it running. Without a terminal, `run` connects',
      'stdin and stdout to the session; the first Ctrl-C interrupts the session, the second leaves it running. Into a pipe or',
      'a file it writes plain text. The end of stdin ends the input of a program that reads lines; binary data needs --pipes.',
      "Exit code: the command's own; 128+n: ended by signal n; 127: not found; 126: not executable; 125: spool failed.",
    ].join('\n'),
    examples: [
      ['spool run', 'your shell'],
      ['spool run -- npm test', 'run it here; you can detach and return later'],
      ['spool run -d --name api --cwd ~/api -- npm run dev', 'start it in the background; prints the id'],
      ['spool run --env TOKEN --timeout 10m -- ./deploy.sh', 'pass one of your variables; stop after ten minutes'],
      ['spool run --agent claude -d "fix the tests"', 'an agent without a terminal; answer it with spool approve'],
      ['spool run --json-file events.ndjson -- claude', 'use it here and write its output as events to a file'],
    ],
  },
  attach: {
    summary: 'show a session in this terminal and type into it',
    operands: ['[ID]'],
    flags: {
      'read-only': { kind: 'on', short: 'r', about: 'watch only: send no input and do not resize the session' },
      takeover: { kind: 'on', about: 'detach all other clients that can type' },
      history: {
        ...HISTORY,
        about: `print this many history lines first, or all (default: 0, maximum: ${HISTORY_LINES_MAX})`,
      },
      ...JSON_OUTPUT,
      'detach-keys': DETACH_KEYS,
      'no-notices': NO_NOTICES,
      quiet: QUIET,
      ...PERMISSIONS,
      tail: {
        kind: 'bytes',
        value: 'SIZE',
        about: 'without a terminal: print this much past output first (default: 64k)',
      },
      raw: {
        kind: 'on',
        about: 'without a terminal: write the exact bytes with escape sequences (default: plain text)',
      },
    },
    details: [
      'Ctrl-\\ detaches (press it twice to send it to the session). All other keys, including Ctrl-C, go to the session.',
      'If the session is larger than your terminal, you see the part of its screen around the cursor. To scroll, press Ctrl-\\',
      'and then the arrows, h j k l, PgUp, PgDn, Home or End; Esc returns to typing. The mouse wheel also scrolls.',
      'Exit code: that of the session when it ends; 0 after a detach or a takeover by another client.',
      'Your terminal receives only drawing sequences; --allow-clipboard, --allow-colours and --allow-graphics allow more.',
    ].join('\n'),
    examples: [
      ['spool attach', 'the latest session'],
      ['spool attach -r api', 'watch the session named api without typing'],
      ['spool attach --history all api', 'with everything before it in the scrollback of your terminal'],
    ],
  },
} as const satisfies Record<string, Verb>;
