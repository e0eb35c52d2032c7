/**
 * The verbs: one table from which parsing, help and completions are made. Data only, so that reading it costs nothing;
 * what a verb does is in `verbs/`, loaded when it is typed (`verb-loaders.ts`).
 */
import type { Parsed, Verb } from './arguments.ts';

export const ID_ABOUT = 'a session: its id, a unique beginning of it, or its name; none is the latest session';

export const VERBS = {
  run: {
    summary: 'start a command in a session of its own',
    operands: ['COMMAND…'],
    flags: {
      detach: { kind: 'on', short: 'd', about: 'do not follow it: print the id and return' },
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'a name to find it by' },
      label: { kind: 'text', value: 'KEY=VALUE', short: 'l', many: true, about: 'a label; may be given several times' },
      cwd: { kind: 'text', value: 'DIR', short: 'C', about: 'where to start it (default: here)' },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'a variable for it; without a value, yours is copied',
      },
      'inherit-env': { kind: 'on', about: 'give it your whole environment, not only the usual harmless variables' },
      size: { kind: 'size', value: 'COLSxROWS', about: "its terminal's size (default: yours, or 80x24)" },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'stop it when it runs longer' },
      headless: {
        kind: 'on',
        also: 'pipes',
        about: 'no terminal: standard output and error as pipes, apart (also: --pipes)',
      },
      'detach-keys': {
        kind: 'text',
        value: 'KEYS',
        about: 'detach with these instead of Ctrl-\\: C-q, or C-p,C-q, or none',
      },
      retain: { kind: 'bytes', value: 'SIZE', about: 'keep so much of its output (the oldest goes first)' },
    },
    details: [
      'In a terminal you are attached to it: Ctrl-\\ detaches and it runs on. Otherwise its output goes to standard output,',
      'what comes on standard input goes to it, and the first Ctrl-C interrupts it; a second one leaves it running.',
      "The exit code is the command's own; 128+n when signal n ended it; 127 not found; 126 not executable; 125 our failure.",
    ].join('\n'),
    examples: [
      ['spool run -- npm test', 'run it here, and come back to it later if need be'],
      ['spool run -d --name api --cwd ~/api -- npm run dev', 'start it and go on; prints the id'],
      ['spool run --env TOKEN --timeout 10m -- ./deploy.sh', 'with one variable of yours, ten minutes at most'],
    ],
  },
  attach: {
    summary: 'show a session in this terminal and type into it',
    operands: ['[ID]'],
    flags: {
      'read-only': { kind: 'on', short: 'r', about: 'only look: nothing typed is sent, and its size stays' },
      takeover: { kind: 'on', about: 'let this terminal decide the size (at present the latest one always does)' },
      'detach-keys': {
        kind: 'text',
        value: 'KEYS',
        about: 'detach with these instead of Ctrl-\\: C-q, or C-p,C-q, or none',
      },
      tail: { kind: 'bytes', value: 'SIZE', about: 'how much of the past to show first (default: 64k)' },
    },
    details: [
      'Ctrl-\\ detaches (press it twice to send it to the session); Ctrl-C and all else goes to the session.',
      'When the session ends, the exit code is its own; after a detach it is 0.',
    ].join('\n'),
    examples: [
      ['spool attach', 'the latest session'],
      ['spool attach -r api', 'look over the shoulder of the session named api'],
    ],
  },
  ls: {
    summary: 'list the sessions',
    operands: [],
    flags: {
      all: { kind: 'on', short: 'a', about: 'all that ended too, not only the last 20 of them' },
      quiet: { kind: 'on', short: 'q', about: 'ids only, a line each' },
    },
    details: '--json gives all sessions, always, as one array.',
    examples: [
      ['spool ls', 'running ones first, the newest last'],
      ['spool ls --json | jq -r \'.[] | select(.state == "failed") | .id\'', 'the ids of those that failed'],
    ],
  },
  logs: {
    summary: 'print what a session has written',
    operands: ['[ID]'],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'go on until it ends' },
      tail: { kind: 'whole', value: 'LINES', short: 'n', about: 'only the last so many lines' },
      'tail-bytes': { kind: 'bytes', value: 'SIZE', about: 'only the last so many bytes' },
      raw: { kind: 'on', about: 'the exact bytes, escape sequences and all' },
      stdout: { kind: 'on', about: 'only its standard output (sessions without a terminal)' },
      stderr: { kind: 'on', about: 'only its standard error (sessions without a terminal)' },
    },
    details: [
      'Without --raw, escape sequences are left out and lines end with a newline only.',
      'Output that is no longer kept is told on standard error, with its offsets.',
    ].join('\n'),
    examples: [
      ['spool logs --tail 50 api', 'the last 50 lines'],
      ['spool logs --raw api > api.bytes', 'every byte, exactly'],
    ],
  },
  send: {
    summary: 'type text into a session',
    operands: ['ID', '[TEXT…]'],
    flags: {
      enter: { kind: 'on', short: 'e', about: 'press Enter afterwards' },
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'send what is in this file; - is standard input' },
      latest: { kind: 'on', short: 'l', about: 'to the latest session: all words are TEXT, there is no ID' },
    },
    details:
      'Words are joined by one space. Nothing is added and nothing is read into them: no Enter unless asked for.\nIt returns when the bytes have reached the session. A lone - in place of TEXT is standard input.',
    examples: [
      ['spool send api --enter "run the tests"', 'type a line'],
      ['git diff | spool send api -', 'type what another program prints'],
    ],
  },
  keys: {
    summary: 'press keys in a session',
    operands: ['ID', '[KEY…]'],
    flags: { latest: { kind: 'on', short: 'l', about: 'in the latest session: all words are KEYs, there is no ID' } },
    details: [
      'Keys: Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown F1 to F12, any single',
      'character; with C- (Ctrl), M- (Alt), S- (Shift) before it: C-c, M-x, S-Tab, C-Left.',
    ].join('\n'),
    examples: [
      ['spool keys api C-c', 'interrupt'],
      ['spool keys api Down Down Enter', 'choose the third entry of a menu'],
    ],
  },
  wait: {
    summary: 'wait until a session ends, or prints something',
    operands: ['[ID…]'],
    flags: {
      until: { kind: 'text', value: 'WHAT', short: 'u', about: 'exit (the default), or match:/PATTERN/FLAGS' },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'wait no longer; the exit code is then 124' },
      'from-now': { kind: 'on', about: 'match only what is printed from now on, not what is kept already' },
    },
    details: [
      'It says why it ended: exit, match or timeout. With --until exit the exit code is that of the session (of several: the',
      'first that is not 0). With --until match it is 0 for a match, and 1 when the session ends without one.',
      'A pattern is a JavaScript regular expression; it is tried on each line by itself, without escape sequences, also on a',
      'line that has no end yet (a prompt) once output pauses. Of several sessions, the first match ends the wait.',
    ].join('\n'),
    examples: [
      ['spool wait --timeout 10m build', 'until it ends, ten minutes at most'],
      ["spool wait --until 'match:/listening on .*:(\\d+)/i' api", 'until the server is ready'],
    ],
  },
  stop: {
    summary: 'end sessions: asked first, then forced',
    operands: ['[ID…]'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'how long they may take before they are killed (default: 5s)',
      },
    },
    details: 'Returns when they have ended and none of their processes is left.',
    examples: [['spool stop --grace 30s api', 'give it half a minute to end']],
  },
  kill: {
    summary: 'end sessions at once, or send them a signal',
    operands: ['[ID…]'],
    flags: {
      signal: {
        kind: 'text',
        value: 'NAME',
        short: 's',
        about: 'send this one signal and no more: INT, TERM, USR1, …',
      },
    },
    examples: [
      ['spool kill api', 'end it and all its processes, now'],
      ['spool kill -s USR1 api', 'only a signal'],
    ],
  },
  rm: {
    summary: 'forget sessions and delete their output',
    operands: ['[ID…]'],
    flags: {
      force: { kind: 'on', short: 'f', about: 'also those that still run: kill them first' },
      ended: { kind: 'on', about: 'all that have ended' },
    },
    examples: [
      ['spool rm build', 'one that has ended'],
      ['spool rm --ended', 'all that have ended'],
    ],
  },
  inspect: {
    summary: 'everything that is known about a session',
    operands: ['[ID]'],
    flags: {},
    examples: [['spool inspect --json api | jq .pid', 'one fact of it']],
  },
  events: {
    summary: 'what happens to the sessions, a line each',
    operands: [],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'go on with what happens from now on' },
      new: { kind: 'on', about: 'with -f: leave out what has been, begin with now' },
    },
    details:
      'First what has been: a start for each session that there is, and an end for each that has ended, in order of time.',
    examples: [['spool events -f --new --json', 'NDJSON, for a program that reacts']],
  },
  daemon: {
    summary: 'start, stop, restart or show the daemon',
    operands: ['start|stop|status|restart'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'stop, restart: how long sessions may take to end (default: 5s)',
      },
    },
    details: [
      'The daemon starts by itself with the first verb that needs it. Stopping it ends all sessions; their output is kept.',
      '`status` starts nothing: when no daemon runs it says so, and the exit code is 1.',
    ].join('\n'),
    examples: [
      ['spool daemon status', 'is it there, since when, how large'],
      ['spool daemon restart', 'after an upgrade'],
    ],
  },
  doctor: {
    summary: 'look for what could be wrong, and say what to do',
    operands: [],
    flags: {},
    details: 'Starts nothing. The exit code is 1 when a check failed; a warning is not a failure.',
    examples: [['spool doctor', 'a line for each check']],
  },
  completions: {
    summary: 'print completions for your shell',
    operands: ['bash|zsh|fish'],
    flags: {},
    examples: [
      ['spool completions bash > ~/.local/share/bash-completion/completions/spool', 'for bash'],
      ['spool completions zsh > "${fpath[1]}/_spool"', 'for zsh'],
      ['spool completions fish > ~/.config/fish/completions/spool.fish', 'for fish'],
    ],
  },
  version: {
    summary: 'print the version',
    operands: [],
    flags: {},
    examples: [['spool version', '']],
  },
} as const satisfies Record<string, Verb>;

export type VerbName = keyof typeof VERBS;
export type ArgumentsOf<N extends VerbName> = Parsed<(typeof VERBS)[N]>;

export function isVerb(name: string): name is VerbName {
  return Object.hasOwn(VERBS, name);
}
