/**
 * The verbs: one table from which parsing, help and completions are made. Data only, so that reading it costs nothing;
 * what a verb does is in `verbs/`, loaded when it is typed (`verb-loaders.ts`).
 */
import { SCROLLBACK_LINES } from '@spool/protocol';
import type { Parsed, Verb } from './arguments.ts';

export const ID_ABOUT = 'a session: its id, a unique beginning of it, or its name; none is the latest session';

const DETACH_KEYS = {
  kind: 'text',
  value: 'KEYS',
  about: 'detach with these instead of Ctrl-\\: C-q, or C-p,C-q, or none',
} as const;

/** What a session may do to your terminal beyond drawing. */
const PERMISSIONS = {
  'allow-clipboard': { kind: 'on', about: 'let it put text on your clipboard (never read it)' },
  'allow-colours': { kind: 'on', about: "let it change your terminal's colours; they are put back afterwards" },
  'allow-graphics': { kind: 'on', about: 'let it show images (sixel, kitty)' },
} as const;

/** Above the screen. */
const HISTORY = {
  kind: 'whole',
  value: 'LINES',
  most: SCROLLBACK_LINES,
  beyond: 'spool logs has all of it',
} as const;

const NO_NOTICES = {
  kind: 'on',
  about: 'do not have your terminal tell you when another session wants you (OSC 9)',
} as const;

const SIZE_POLICY = {
  kind: 'text',
  value: 'POLICY',
  words: ['latest', 'smallest', 'largest', 'fixed'],
  about: 'whose size counts when several are attached: latest (the default), smallest, largest, fixed',
} as const;

const WAIT_WORDS = ['exit', 'idle', 'blocked', 'prompt', 'output', 'match:'] as const;

const TIME_ABOUT =
  'TIME is 14:03, 2026-01-31T14:03, -5m (five minutes ago) or milliseconds since 1970; OFFSET is @12345 or a plain number.';

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
      'json-output': {
        kind: 'on',
        about: 'also tell its output as text events on standard error, a JSON object each line (NDJSON)',
      },
      'size-policy': SIZE_POLICY,
      'detach-keys': DETACH_KEYS,
      'no-notices': NO_NOTICES,
      ...PERMISSIONS,
      summary: { kind: 'on', about: 'at its end, tell on standard error what became of it (see spool summary)' },
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
      [
        'spool run --json-output -- claude 2> events.ndjson',
        'use it here, and have what it prints as events in a file',
      ],
    ],
  },
  attach: {
    summary: 'show a session in this terminal and type into it',
    operands: ['[ID]'],
    flags: {
      'read-only': { kind: 'on', short: 'r', about: 'only look: nothing typed is sent, and its size stays' },
      takeover: { kind: 'on', about: 'send away all others who may type' },
      history: {
        ...HISTORY,
        about: `so many lines of the past go into your scrollback first (at most ${SCROLLBACK_LINES})`,
      },
      'detach-keys': DETACH_KEYS,
      'no-notices': NO_NOTICES,
      ...PERMISSIONS,
      tail: {
        kind: 'bytes',
        value: 'SIZE',
        about: 'without a terminal: how much of the past to print first (default: 64k)',
      },
    },
    details: [
      'Ctrl-\\ detaches (press it twice to send it to the session); Ctrl-C and all else goes to the session.',
      'If the session has another size than your terminal, you see a part of its screen that follows the cursor. To see other',
      'parts, press Ctrl-\\ and then arrows, h j k l, PgUp, PgDn, Home or End, and Esc at the end; or turn the mouse wheel.',
      'When the session ends, the exit code is its own; after a detach, or when somebody takes over, it is 0.',
      'Your terminal gets only what draws: no clipboard, no queries, no other tricks, unless you allow them.',
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
      limit: { kind: 'whole', value: 'N', about: 'of those that ended only the last N' },
      quiet: { kind: 'on', short: 'q', about: 'ids only, a line each' },
      names: { kind: 'on', about: 'with -q: their names too' },
    },
    details: '--json gives all sessions as one array, unless --limit is given too.',
    examples: [
      ['spool ls', 'running ones first, the newest last'],
      ['spool ls --json | jq -r \'.[] | select(.state == "failed") | .id\'', 'the ids of those that failed'],
    ],
  },
  watch: {
    summary: 'a live list of the sessions: what each does, and which of them waits for you',
    operands: [],
    flags: { all: { kind: 'on', short: 'a', about: 'begin with those that have ended too' } },
    details: [
      'Those that wait for a decision come first. Keys: arrows or j and k choose, Enter attaches (Ctrl-\\ comes back to the',
      'list), p types a prompt, s stops, / filters, a shows those that have ended, ? explains, q leaves.',
      '--json needs no terminal: a line for each row that appears, changes (`row`) or goes (`row-removed`).',
    ].join('\n'),
    examples: [
      ['spool watch', 'keep it open beside your work'],
      ['spool watch --json | jq \'select(.state == "blocked") | .name\'', 'the names of those that wait, as they do'],
    ],
  },
  logs: {
    summary: 'print what a session has written',
    operands: ['[ID]'],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'go on until it ends' },
      tail: { kind: 'whole', value: 'LINES', short: 'n', about: 'only the last so many lines' },
      'tail-bytes': { kind: 'bytes', value: 'SIZE', about: 'only the last so many bytes' },
      since: { kind: 'text', value: 'TIME', about: 'only what was written from then on (or from @OFFSET on)' },
      text: { kind: 'on', about: 'as a person saw it, line by line (the default)' },
      raw: { kind: 'on', about: 'the exact bytes, escape sequences and all; on a terminal only what is harmless' },
      force: { kind: 'on', about: 'with --raw: the exact bytes on a terminal too, which may do it harm' },
      stdout: { kind: 'on', about: 'only its standard output (sessions without a terminal)' },
      stderr: { kind: 'on', about: 'only its standard error (sessions without a terminal)' },
    },
    details: [
      'As text, escape sequences are left out, and what was written over (a progress bar) is there in its last state only.',
      TIME_ABOUT,
      'Output that is no longer kept is told on standard error, with its offsets.',
    ].join('\n'),
    examples: [
      ['spool logs --tail 50 api', 'the last 50 lines'],
      ['spool logs --raw api > api.bytes', 'every byte, exactly'],
      ['spool logs --since -5m api', 'the last five minutes'],
    ],
  },
  screen: {
    summary: 'print the screen of a session, now or at any time',
    operands: ['[ID]'],
    flags: {
      at: { kind: 'text', value: 'TIME|OFFSET', about: 'as it was then (default: now)' },
      format: {
        kind: 'text',
        value: 'FORMAT',
        words: ['text', 'ansi', 'html', 'json'],
        short: 'f',
        about: 'text (the default), ansi (with colours), html or json',
      },
      history: { ...HISTORY, about: `so many lines above the screen too (at most ${SCROLLBACK_LINES})` },
    },
    details: `${TIME_ABOUT}\n--json gives the screen with its offset, time, size and title; --format says what \`content\` is.`,
    examples: [
      ['spool screen api', 'what you would see if you attached'],
      ['spool screen --at 14:03 --format ansi api', 'what you would have seen at 14:03'],
    ],
  },
  replay: {
    summary: 'show a session once more, as it happened',
    operands: ['[ID]'],
    flags: {
      speed: { kind: 'text', value: 'X', short: 's', about: 'so many times as fast (default: 1)' },
      at: { kind: 'text', value: 'TIME|OFFSET', about: 'begin there (default: at the beginning)' },
      'idle-limit': { kind: 'duration', value: 'DUR', short: 'i', about: 'no pause is longer than this' },
    },
    details: `q or Ctrl-C leaves, space pauses and goes on.\n${TIME_ABOUT}`,
    examples: [['spool replay --speed 4 --idle-limit 2s build', 'fast, and without the long waits']],
  },
  export: {
    summary: 'a session as a recording, a page or a text',
    operands: ['[ID]'],
    flags: {
      asciicast: { kind: 'on', about: 'a recording for asciinema (version 3)' },
      v2: { kind: 'on', about: 'with --asciicast: version 2, for older players' },
      html: {
        kind: 'on',
        about: `its screen and the last ${SCROLLBACK_LINES} lines that scrolled out of it, with colours`,
      },
      text: { kind: 'on', about: 'what a person saw, line by line' },
      output: { kind: 'text', value: 'FILE', short: 'o', about: 'write it there (default: standard output)' },
    },
    details: 'A recording holds output, sizes and the exit code, never what was typed.',
    examples: [
      ['spool export --asciicast -o build.cast build', 'then: asciinema play build.cast'],
      ['spool export --text build > build.txt', 'to read or to search'],
    ],
  },
  send: {
    summary: 'type text into a session',
    operands: ['ID', '[TEXT…]'],
    flags: {
      enter: { kind: 'on', short: 'e', about: 'press Enter afterwards' },
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'send what is in this file; - is standard input' },
      key: { kind: 'text', value: 'KEY', about: 'the same text with the same key is sent once' },
      latest: { kind: 'on', short: 'l', about: 'to the latest session: all words are TEXT, there is no ID' },
    },
    details:
      'Words are joined by one space. Nothing is added and nothing is read into them: no Enter unless asked for.\nIt returns when the bytes have reached the session. A lone - in place of TEXT is standard input.',
    examples: [
      ['spool send api --enter "run the tests"', 'type a line'],
      ['git diff | spool send api -', 'type what another program prints'],
    ],
  },
  paste: {
    summary: 'paste text into a session',
    operands: ['ID', '[TEXT…]'],
    flags: {
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'paste what is in this file; - is standard input' },
      latest: { kind: 'on', short: 'l', about: 'into the latest session: all words are TEXT, there is no ID' },
    },
    details: 'A program that asked for it gets a bracketed paste: the newlines in it submit nothing.',
    examples: [['spool paste claude --file notes.md', 'a file, as one paste']],
  },
  prompt: {
    summary: 'give an agent or a shell something to do, and see that it took it',
    operands: ['ID', '[TEXT…]'],
    flags: {
      file: { kind: 'text', value: 'FILE', short: 'f', about: 'what is in this file; - is standard input' },
      latest: { kind: 'on', short: 'l', about: 'to the latest session: all words are TEXT, there is no ID' },
      key: { kind: 'text', value: 'KEY', about: 'the same prompt with the same key is typed once' },
      clear: { kind: 'on', about: 'clear what stands in its input line first' },
      force: { kind: 'on', about: 'also while the session waits for a decision, or there is text in its input line' },
      confirm: { kind: 'duration', value: 'DUR', about: 'how long to look for a reaction (default: 3s)' },
      wait: {
        kind: 'text',
        value: 'WHAT',
        words: WAIT_WORDS,
        short: 'w',
        about: 'then wait until idle, blocked, exit, … (see spool wait)',
      },
      timeout: {
        kind: 'duration',
        value: 'DUR',
        short: 't',
        about: 'with --wait: no longer; the exit code is then 124',
      },
    },
    details: [
      'Typed as a careful person would: a paste, a moment, Enter by itself; then it is looked at whether the session reacted.',
      'The exit code is 0 when it did, 1 when nothing was seen of it. While the session waits for a decision (a permission',
      'dialog), or prints so fast that nobody can look, nothing is typed, for Enter might be the answer: the exit code is 4.',
      'The same where its input line (of a shell, or of an agent that is known) holds text already; --clear clears it first.',
    ].join('\n'),
    examples: [
      ['spool prompt claude "run the tests" --wait idle,blocked', 'and wait until it is done, or asks'],
      ['spool prompt codex --file task.md --key task-7', 'once, however often this is called'],
    ],
  },
  keys: {
    summary: 'press keys in a session',
    operands: ['ID', '[KEY…]'],
    flags: { latest: { kind: 'on', short: 'l', about: 'in the latest session: all words are KEYs, there is no ID' } },
    details: [
      'Keys: Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown F1 to F12, any single',
      'character; with C- (Ctrl), M- (Alt), S- (Shift) before it: C-c, M-x, S-Tab, C-Left.',
      'Several may be one word: "C-c Enter M-x".',
    ].join('\n'),
    examples: [
      ['spool keys api C-c', 'interrupt'],
      ['spool keys api Down Down Enter', 'choose the third entry of a menu'],
    ],
  },
  wait: {
    summary: 'wait until a session ends, is idle, is blocked, or prints something',
    operands: ['[ID…]'],
    flags: {
      until: {
        kind: 'text',
        value: 'WHAT',
        words: WAIT_WORDS,
        short: 'u',
        many: true,
        about: 'exit (the default), idle, blocked, prompt, output, match:/PATTERN/FLAGS; several: the first counts',
      },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'wait no longer; the exit code is then 124' },
      any: { kind: 'on', about: 'of several sessions, the first ends the wait; else all are waited for' },
      after: { kind: 'whole', value: 'OFFSET', about: 'only what comes after this offset counts' },
      'from-now': { kind: 'on', about: 'only what comes from now on counts' },
    },
    details: [
      'It says why it ended, and where. `idle`: it waits for the next thing to do; `prompt`: and shows where to type it;',
      '`blocked`: it waits for a decision; `output`: it writes anything. `spool explain` shows what that is judged by.',
      'The end of a session ends every wait. With `exit` the exit code is that of the session (of several: the first that is',
      'not 0); for the others it is 0 when it came, and 1 when the session ended first.',
      'A pattern is a JavaScript regular expression; it is tried on each line by itself, without escape sequences, also on a',
      'line that has no end yet (a prompt) once output pauses. Of several sessions, the first match ends the wait.',
    ].join('\n'),
    examples: [
      ['spool wait --timeout 10m build', 'until it ends, ten minutes at most'],
      ["spool wait --until 'match:/listening on .*:(\\d+)/i' api", 'until the server is ready'],
      ['spool wait --any --until blocked,idle claude codex', 'which of them wants me first'],
    ],
  },
  task: {
    summary: 'commands that are awaited: start, list, await, read or cancel them',
    operands: ['run|ls|wait|logs|cancel', '[ID…|COMMAND…]'],
    commandAfter: 'run',
    flags: {
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'run: a name to find it by' },
      timeout: {
        kind: 'duration',
        value: 'DUR',
        short: 't',
        about: 'run: end it and all its processes when it takes longer; wait: wait no longer',
      },
      cwd: { kind: 'text', value: 'DIR', short: 'C', about: 'run: where to start it (default: here)' },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'run: a variable for it; without a value, yours is copied',
      },
      shell: {
        kind: 'text',
        value: 'TEXT',
        short: 'c',
        about: 'run: a command line for the shell, in place of COMMAND',
      },
      pipes: { kind: 'on', also: 'headless', about: 'run: no terminal: standard output and error as pipes, apart' },
      detach: { kind: 'on', short: 'd', about: 'run: do not wait for it: print the id and return' },
      verbose: { kind: 'on', short: 'v', about: 'run, wait: print the output too' },
      all: { kind: 'on', short: 'a', about: 'ls: all that ended too, not only the last 20 of them' },
      follow: { kind: 'on', short: 'f', about: 'logs: go on until it ends' },
      tail: { kind: 'whole', value: 'LINES', about: 'logs: only the last so many lines' },
      raw: { kind: 'on', about: 'logs: the exact bytes, escape sequences and all' },
    },
    details: [
      'A task is a session that somebody awaits; it goes on when nobody does any more. `run` and `wait` show a line for each:',
      'how long it takes, what it has reached, how far it is. Without an ID, `wait` awaits all that run, `logs` shows the latest.',
      'Ctrl-C leaves them running; a second one within two seconds cancels them. The exit code is that of the command (of',
      'several: the first that is not 0), 124 when its time limit ended it; of one that failed, the last lines are shown.',
      '--json tells task_started, task_log, milestone and task_finished, a line each; with `ls` the tasks, with -d the handle.',
    ].join('\n'),
    examples: [
      ['spool task run --timeout 10m -- npm install', 'one line, live; then how it ended'],
      ["spool task run -d --name site --shell 'npm create vite@latest site -- --template vue'", 'go on meanwhile'],
      ['spool task wait site api', 'until both have finished, from any terminal'],
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
  rename: {
    summary: 'give a session another name',
    operands: ['ID', 'NAME'],
    flags: {},
    examples: [['spool rename k3f api', 'from now on it is found as api']],
  },
  update: {
    summary: "change a session's name, labels or size policy",
    operands: ['[ID]'],
    flags: {
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'another name' },
      label: {
        kind: 'text',
        value: 'KEY=VALUE',
        short: 'l',
        many: true,
        about: 'set a label, or without a value remove it; may be given several times',
      },
      'size-policy': SIZE_POLICY,
    },
    examples: [['spool update --size-policy smallest api', 'so that everybody who watches sees all of it']],
  },
  explain: {
    summary: 'why spool thinks that a session works, waits or is done',
    operands: ['[ID]'],
    flags: { history: { kind: 'on', about: 'also what it has been through' } },
    examples: [['spool explain claude', 'the state, and the evidence for and against it']],
  },
  summary: {
    summary: 'what became of a session: its end, its milestones, its last lines, the files it changed',
    operands: ['[ID]'],
    flags: {},
    details: [
      'Of a session that runs, how it stands. Files are those in its folder that git calls changed and that were touched since',
      'it was started, and those of commits made since; outside of a git repository there are none.',
    ].join('\n'),
    examples: [
      ['spool summary build', 'a page to read'],
      ["spool summary --json build | jq -r '.changedFiles[].path'", 'the files that it changed'],
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
    operands: ['[ID…]'],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'go on with what happens from now on' },
      new: { kind: 'on', about: 'with -f: leave out what has been, begin with now' },
      type: {
        kind: 'text',
        value: 'TYPE',
        short: 't',
        many: true,
        about: 'only events of this type (session-status, milestone, task_finished, …); may be given several times',
      },
    },
    details:
      'First what has been: a start for each session that there is, and an end for each that has ended, in order of time.',
    examples: [
      ['spool events -f --new --json', 'NDJSON, for a program that reacts'],
      ['spool events -f -t session-status api', 'what one session does'],
    ],
  },
  daemon: {
    summary: 'start, stop, restart or show the daemon',
    operands: ['start|stop|status|restart'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'stop: how long sessions may take to end (default: 5s)',
      },
      force: { kind: 'on', short: 'f', about: 'stop, restart: do not ask before running sessions are ended' },
    },
    details: [
      'The daemon starts by itself with the first verb that needs it. `stop` ends all sessions; their output is kept. At a',
      'terminal it asks first if any still run; in a script it does not.',
      '`restart` replaces the processes of the daemon one after the other, with the program that is on disk now. Sessions go',
      'on, and attached terminals notice a pause of a moment. Where that is not possible it says so, and needs --force.',
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
    details:
      'Starts no daemon. Your own rules and milestones are read too. The exit code is 1 when a check failed; a warning is not a failure.',
    examples: [['spool doctor', 'a line for each check']],
  },
  mcp: {
    summary: 'serve an agent: the sessions as tools (MCP), over standard input and output',
    operands: [],
    flags: {},
    details: [
      'Started by the agent, not by you: enter `spool mcp` as the command of an MCP server in its settings.',
      'It ends when its standard input does; sessions go on. Those that it starts have the label mcp=AGENT.',
    ].join('\n'),
    examples: [['spool mcp', 'what an agent runs; for Claude Code: claude mcp add spool -- spool mcp']],
  },
  skill: {
    summary: 'print a skill that teaches an agent to use this command line',
    operands: [],
    flags: {},
    examples: [['spool skill > .claude/skills/spool/SKILL.md', 'for the agents of a project']],
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
