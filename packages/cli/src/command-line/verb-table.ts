/**
 * The table of verbs. Parsing, help and completions are generated from it. It holds data only, so loading it is cheap;
 * the code of a verb is in `verbs/` and is loaded on use (`verb-loaders.ts`).
 */
import type { Parsed, Verb } from './arguments.ts';

export const ID_ABOUT = 'a session id, a unique prefix of one, or a session name';

/** For verbs that end or delete sessions. */
const BULK = {
  'older-than': { kind: 'age', value: 'AGE' },
  yes: { kind: 'on', short: 'y', about: 'do not ask for confirmation; needed without a terminal' },
} as const;

const QUIET = { kind: 'on', short: 'q', about: 'print no notices from spool' } as const;

const DETACH_KEYS = {
  kind: 'text',
  value: 'KEYS',
  about: 'detach with these keys: C-q, or C-p,C-q, or none (default: Ctrl-\\)',
} as const;

/** What a session may do to the user's terminal in addition to drawing. */
const PERMISSIONS = {
  'allow-clipboard': { kind: 'on', about: 'allow the session to write to your clipboard (it can never read it)' },
  'allow-colours': { kind: 'on', about: "allow the session to change your terminal's colours (restored afterwards)" },
  'allow-graphics': { kind: 'on', about: 'allow the session to show images (sixel, kitty)' },
} as const;

/** As the setting `history` allows. A line of 200 columns takes 3 KB in the model that shows it. */
const HISTORY_LINES_MAX = 20_000;

/** Lines above the screen. */
const HISTORY = {
  kind: 'whole',
  value: 'LINES',
  most: HISTORY_LINES_MAX,
  beyond: 'use spool logs for more',
} as const;

const NO_NOTICES = {
  kind: 'on',
  about: 'do not notify you through your terminal (OSC 9) when another session needs you',
} as const;

const SIZE_POLICY = {
  kind: 'text',
  value: 'POLICY',
  words: ['latest', 'smallest', 'largest', 'fixed'],
  about: 'which viewer sets the size: latest, smallest, largest or fixed (default: latest)',
} as const;

const WAIT_WORDS = ['exit', 'idle', 'blocked', 'prompt', 'output', 'match:'] as const;

const TIME_ABOUT = [
  'TIME is a time in your time zone (14:03, 14:03:22.5, 2026-01-31 14:03, yesterday 14:03), a time ago (10m ago, -10m), or',
  'milliseconds since 1970. Every time that Spool prints is accepted. OFFSET is #12345.',
].join('\n');

export const VERBS = {
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
      headless: {
        kind: 'on',
        also: 'pipes',
        about: 'use pipes instead of a terminal; keeps stdout and stderr separate (also: --pipes)',
      },
      'json-output': {
        kind: 'on',
        about: 'also write its output to stderr as text events, one JSON object per line (NDJSON)',
      },
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
      ['spool run --json-output -- claude 2> events.ndjson', 'use it here and write its output as events to a file'],
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
        about: `print this many history lines first (default: 0, maximum: ${HISTORY_LINES_MAX})`,
      },
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
    ],
  },
  ls: {
    summary: 'list the sessions',
    aliases: ['ps', 'list'],
    operands: [],
    flags: {
      all: { kind: 'on', short: 'a', about: 'show all ended sessions (default: the last 10)' },
      limit: { kind: 'whole', value: 'N', most: 1_000_000, about: 'show only the last N ended sessions' },
      running: { kind: 'on', about: 'only running sessions' },
      ended: { kind: 'on', about: 'only ended sessions' },
      filter: {
        kind: 'text',
        value: 'KEY=VALUE',
        short: 'f',
        many: true,
        about: 'only matching sessions: label=KEY[=VALUE], state=STATE, name=TEXT, agent=NAME (repeatable)',
      },
      sort: {
        kind: 'text',
        value: 'ORDER',
        words: ['need', 'name', 'age', 'output', 'active'],
        about:
          'order by need (default), name, age, output or active (the latest output first); a minus reverses it: --sort=-age',
      },
      format: {
        kind: 'text',
        value: 'FORM',
        about: "table, json, or a line per session: '{{.id}} {{.name}} {{.status.state}} {{.labels.team}}'",
      },
      labels: { kind: 'on', about: 'show the labels too' },
      quiet: { kind: 'on', short: 'q', about: 'print only the ids, one per line' },
      names: { kind: 'on', about: 'with -q: print the names too' },
    },
    details: [
      'Sessions that wait for you come first, then the other running ones, then the ended ones, the latest first. On a terminal',
      'the table fits the window: the least important columns are narrowed or left out. In a pipe or a file, all columns are complete.',
      'STATE is running, blocked, working, idle, starting, ended, exited, failed, stopped, killed or lost. A session must match',
      'every key that you filter by; of several values for one key, one is enough (of labels, all must match).',
      '`spool ps` and `spool list` do the same.',
      'The fields of --format are those of --json, plus age and activity; {{json .status}} prints a field as JSON.',
      '--json prints all sessions as one array, oldest first; --limit applies to it too.',
    ].join('\n'),
    examples: [
      ['spool ls', 'the sessions that wait for you come first'],
      ['spool ls -f label=team=web -f state=blocked', 'those of a team that wait for a decision'],
      ["spool ls --running --format '{{.name}}\\t{{.status.state}}'", 'names and states, for a script'],
      ['spool ls --json | jq -r \'.[] | select(.state == "failed") | .id\'', 'the ids of failed sessions'],
    ],
  },
  watch: {
    summary: 'show a live list of the sessions: what each one does, and which ones need you',
    operands: [],
    flags: { all: { kind: 'on', short: 'a', about: 'include ended sessions from the start' } },
    details: [
      'Sessions that wait for a decision come first; below the list is the live screen of the selected one. Keys: arrows, j/k or',
      'the mouse select, Enter attaches (Ctrl-\\ returns to the list), Space answers a question, p sends a prompt, n starts a',
      'command, r renames, s stops, x removes, / filters, a shows ended sessions, o sorts, v hides the preview, q quits.',
      '--json needs no terminal: it prints a line when a row appears or changes (`row`) or disappears (`row-removed`).',
    ].join('\n'),
    examples: [
      ['spool watch', 'keep it open beside your work'],
      [
        'spool watch --json | jq \'select(.status.state == "blocked") | .name\'',
        'the name of each session that starts to wait',
      ],
    ],
  },
  logs: {
    summary: 'print the output of a session, as you would have seen it',
    operands: ['[ID]'],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'keep printing until the session ends' },
      tail: { kind: 'whole', value: 'LINES', short: 'n', about: 'print only the last LINES lines' },
      since: { kind: 'text', value: 'TIME', about: 'print only what came since this time: 10m, 14:03, #OFFSET' },
      until: { kind: 'text', value: 'TIME', about: 'print only what came up to this time' },
      timestamps: { kind: 'on', short: 't', about: 'print the time of each line' },
      grep: {
        kind: 'text',
        value: 'PATTERN',
        short: 'g',
        about: 'print only lines that match this regular expression',
      },
      'ignore-case': { kind: 'on', short: 'i', about: 'with --grep: ignore upper and lower case' },
      context: {
        kind: 'whole',
        value: 'LINES',
        short: 'C',
        about: 'with --grep: also print this many lines around each match',
      },
      frames: { kind: 'on', about: 'print every screen at which a full-screen program paused, not only its last one' },
      text: { kind: 'on', about: 'plain text (the default)' },
      raw: { kind: 'on', about: 'the exact bytes with escape sequences; unsafe sequences are removed on a terminal' },
      force: { kind: 'on', about: 'with --raw: write the exact bytes to a terminal too (unsafe)' },
      'tail-bytes': { kind: 'bytes', value: 'SIZE', about: 'print only the last SIZE bytes' },
      stdout: { kind: 'on', about: 'only stdout (sessions without a terminal)' },
      stderr: { kind: 'on', about: 'only stderr (sessions without a terminal)' },
    },
    details: [
      'Lines appear in their last state: a progress bar once, an erased spinner not at all. A full-screen program (an editor, a',
      'pager) is one section with its last screen.',
      TIME_ABOUT,
      'If output was already deleted, a notice on stderr gives its offsets.',
    ].join('\n'),
    examples: [
      ['spool logs --tail 50 api', 'the last 50 lines'],
      ['spool logs --since 10m --timestamps api', 'the last ten minutes, with the time of each line'],
      ["spool logs --grep 'error|warn' -C 2 api", 'matching lines and two around each'],
      ['spool logs --raw api > api.bytes', 'the exact bytes'],
    ],
  },
  screen: {
    summary: 'print the screen of a session, now or at an earlier time',
    operands: ['[ID]'],
    flags: {
      at: { kind: 'text', value: 'TIME|OFFSET', about: 'the screen at that time or offset (default: now)' },
      format: {
        kind: 'text',
        value: 'FORMAT',
        words: ['text', 'ansi', 'html', 'json'],
        short: 'f',
        about: 'text, ansi (with colours), html or json (default: text)',
      },
      history: {
        ...HISTORY,
        about: `include this many lines above the screen (default: 0, maximum: ${HISTORY_LINES_MAX})`,
      },
    },
    details: `${TIME_ABOUT}\n--json prints the screen with its offset, time, size and title; --format sets the format of \`content\`.`,
    examples: [
      ['spool screen api', 'what you would see when attached'],
      ['spool screen --at 14:03 --format ansi api', 'what you would have seen at 14:03'],
    ],
  },
  replay: {
    summary: 'play back a session in this terminal',
    operands: ['[ID]'],
    flags: {
      speed: { kind: 'text', value: 'X', short: 's', about: 'playback speed (default: 1)' },
      at: { kind: 'text', value: 'TIME|OFFSET', about: 'start at this time or offset (default: the beginning)' },
      'idle-limit': { kind: 'duration', value: 'DUR', short: 'i', about: 'shorten pauses to at most this' },
    },
    details: [
      'Keys: Space pauses, ← → seek 5 seconds, PgUp PgDn (or Shift and ← →) a minute, 0 to 9 go to 0 to 90 %, Home and End',
      'to the ends, n and p to the next and previous status, milestone or command, + and - change the speed, s skips pauses,',
      'h j k l move the view of a session that is larger than your terminal, q quits. The last row shows the position if the',
      'picture leaves it free, and for a moment after a key.',
      TIME_ABOUT,
    ].join('\n'),
    examples: [['spool replay --speed 4 --idle-limit 2s build', 'four times as fast, without long pauses']],
  },
  export: {
    summary: 'export a session as a recording, a web page or plain text',
    operands: ['[ID]'],
    flags: {
      output: {
        kind: 'text',
        value: 'FILE',
        short: 'o',
        about:
          'write to this file (default: stdout); its extension sets the format: .cast, .html or .txt, also with .gz',
      },
      format: {
        kind: 'text',
        value: 'FORMAT',
        words: ['asciicast', 'asciicast-v3', 'html', 'text'],
        about: 'asciicast (version 2), asciicast-v3, html or text',
      },
      asciicast: { kind: 'on', about: 'a recording for asciinema, as --format asciicast' },
      html: { kind: 'on', about: 'a web page with everything that was seen, with colours' },
      text: { kind: 'on', about: 'plain text, as spool logs prints it' },
      force: { kind: 'on', about: 'replace a file that exists' },
    },
    details: [
      'A recording contains output, sizes and the exit code. It never contains input. Version 2 plays in every version of',
      'asciinema; version 3 needs asciinema 3.',
    ].join('\n'),
    examples: [
      ['spool export -o build.cast build', 'then: asciinema play build.cast'],
      ['spool export -o build.html build', 'to look at in a browser, or to send'],
      ['spool export --text build | less', 'plain text, to read or search'],
    ],
  },
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
      confirm: { kind: 'duration', value: 'DUR', about: 'how long to wait for a reaction (default: 3s)' },
      wait: {
        kind: 'text',
        value: 'WHAT',
        words: WAIT_WORDS,
        short: 'w',
        about: 'then wait for a condition: idle, blocked, exit, … (see spool wait)',
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
  wait: {
    summary: 'wait until a session ends, becomes idle, asks something, or prints something',
    operands: ['[ID…]'],
    flags: {
      until: {
        kind: 'text',
        value: 'WHAT',
        words: WAIT_WORDS,
        short: 'u',
        many: true,
        about:
          'exit, idle, blocked, prompt, output or match:/PATTERN/FLAGS; repeatable, any one suffices (default: exit)',
      },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'stop waiting after this time (exit code 124)' },
      any: { kind: 'on', about: 'return when any session matches (default: wait for all)' },
      after: { kind: 'whole', value: 'OFFSET', about: 'ignore everything before this offset' },
      'from-now': { kind: 'on', about: 'ignore everything before now' },
    },
    details: [
      '`wait` prints which condition was met. `idle`: the session waits for its next instruction; `prompt`: it is idle and',
      'shows an input line; `blocked`: it waits for a decision; `output`: it prints anything. `spool explain` shows why.',
      'Every wait also ends when the session ends. Exit code: with `exit`, that of the session (of several: the first that is',
      'not 0); otherwise 0 if the condition was met, 1 if the session ended first.',
      'A pattern is a JavaScript regular expression, matched against each line without escape sequences. An unfinished line',
      '(such as a prompt) is matched once output pauses. With several sessions, the first match ends the wait.',
    ].join('\n'),
    examples: [
      ['spool wait --timeout 10m build', 'until it ends, at most ten minutes'],
      ["spool wait --until 'match:/listening on .*:(\\d+)/i' api", 'until the server is ready'],
      ['spool wait --any --until blocked,idle claude codex', 'until one of them needs you'],
    ],
  },
  task: {
    summary: 'run commands to completion: start, list, wait for, read or cancel tasks',
    operands: ['run|ls|wait|logs|cancel', '[ID…|COMMAND…]'],
    commandAfter: 'run',
    flags: {
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'run: the name of the task' },
      timeout: {
        kind: 'duration',
        value: 'DUR',
        short: 't',
        about: 'run: stop the task after this time; wait: stop waiting after this time',
      },
      cwd: { kind: 'text', value: 'DIR', short: 'C', about: 'run: the working folder (default: the current one)' },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'run: set an environment variable; without a value, copy yours (repeatable)',
      },
      shell: {
        kind: 'text',
        value: 'TEXT',
        short: 'c',
        about: 'run: a shell command line, instead of COMMAND',
      },
      pipes: {
        kind: 'on',
        also: 'headless',
        about: 'run: use pipes instead of a terminal; keeps stdout and stderr separate',
      },
      detach: { kind: 'on', short: 'd', about: 'run: do not wait: print the task id and return' },
      verbose: { kind: 'on', short: 'v', about: 'run, wait: print the output too' },
      all: { kind: 'on', short: 'a', about: 'ls: show all ended tasks (default: the last 20)' },
      follow: { kind: 'on', short: 'f', about: 'logs: keep printing until the task ends' },
      tail: { kind: 'whole', value: 'LINES', about: 'logs: print only the last LINES lines' },
      raw: { kind: 'on', about: 'logs: the exact bytes with escape sequences' },
    },
    details: [
      'A task is a session that is expected to finish. It keeps running when the client that started it goes away. `run` and',
      '`wait` show one line per task: elapsed time, milestones, progress; and the last lines of output if a task fails.',
      'Without an ID, `wait` waits for all running tasks, and `logs` shows the latest task.',
      'Ctrl-C leaves the tasks running; a second Ctrl-C within two seconds cancels them.',
      'Exit code: that of the command (of several: the first that is not 0), or 124 if the time limit ended it.',
      '--json prints task_started, task_log, milestone and task_finished events; with `ls` the tasks; with -d the task.',
    ].join('\n'),
    examples: [
      ['spool task run --timeout 10m -- npm install', 'a live status line, then the result'],
      [
        "spool task run -d --name site --shell 'npm create --yes vite@latest site -- --template vue --no-interactive'",
        'run it in the background',
      ],
      ['spool task wait site api', 'wait for both, from any terminal'],
    ],
  },
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
    },
    details: 'Returns when the sessions and all their processes have ended.',
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
    examples: [['spool rename k3f api', 'rename the session k3f… to api']],
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
  explain: {
    summary: 'show why spool considers a session working, blocked or idle',
    operands: ['[ID]'],
    flags: {
      history: { kind: 'on', about: 'include past states and milestones' },
      save: {
        kind: 'text',
        value: 'STATE',
        words: ['working', 'blocked', 'idle'],
        about: 'save its screen as a test case for your rules, with what it really is: working, blocked or idle',
      },
      note: { kind: 'text', value: 'TEXT', about: 'with --save: a remark for the case' },
    },
    details: [
      '`--save` writes the screen, the evidence and your correction to the folder rules/cases of your configuration.',
      '`spool doctor rules` runs all cases. Only you can read the files; but look before you share one: a screen may show',
      'secrets.',
    ].join('\n'),
    examples: [
      ['spool explain claude', 'the state and the evidence for and against it'],
      ['spool explain claude --save idle', 'it says working, but it is idle'],
    ],
  },
  summary: {
    summary: 'summarize a session: result, milestones, last lines, changed files',
    operands: ['[ID]'],
    flags: {},
    details: [
      'For a running session, it summarizes the current state. Changed files are the files in its folder that git reports as',
      'changed and that were modified after the session started, plus files committed since. This needs a git repository.',
    ].join('\n'),
    examples: [
      ['spool summary build', 'a readable page'],
      ["spool summary --json build | jq -r '.changedFiles[].path'", 'the changed files'],
    ],
  },
  inspect: {
    summary: 'show everything known about a session',
    operands: ['[ID]'],
    flags: {},
    examples: [['spool inspect --json api | jq .pid', 'one field']],
  },
  events: {
    summary: 'print session events, one per line',
    operands: ['[ID…]'],
    flags: {
      follow: { kind: 'on', short: 'f', about: 'keep printing new events' },
      new: { kind: 'on', about: 'with -f: skip past events' },
      since: { kind: 'text', value: 'TIME', about: 'only past events since this time' },
      type: {
        kind: 'text',
        value: 'TYPE',
        short: 't',
        many: true,
        about: 'only events of this type (session-status, milestone, session-exited, …; repeatable)',
      },
    },
    details: [
      'Past events come first, in order of time: starts, ends, statuses, milestones and commands. With an ID they begin at the',
      'start of the session; without one they cover the last 24 hours, unless --since says otherwise.',
      'With --json, every event has `id` and `name` of its session.',
    ].join('\n'),
    examples: [
      ['spool events -f --new --json', 'NDJSON, for a program'],
      ['spool events -f -t session-status api', 'the state changes of one session'],
      ['spool events --since 1h', 'what happened in the last hour'],
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
  mcp: {
    summary: 'run an MCP server on stdin and stdout: sessions as tools for an agent',
    operands: [],
    flags: {},
    details: [
      'The agent starts it: add `spool mcp` as the command of an MCP server in its settings.',
      'The server ends when its stdin closes; sessions keep running. Sessions that it starts get the label mcp=AGENT.',
    ].join('\n'),
    examples: [['spool mcp', 'run by the agent; for Claude Code: claude mcp add spool -- spool mcp']],
  },
  skill: {
    summary: 'print a skill file that teaches an agent to use spool',
    operands: [],
    flags: {},
    examples: [['spool skill > .claude/skills/spool/SKILL.md', 'for the agents of a project']],
  },
  completions: {
    summary: 'print shell completions',
    operands: ['bash|zsh|fish'],
    flags: {},
    examples: [
      ['spool completions bash > ~/.local/share/bash-completion/completions/spool', 'for bash'],
      ['spool completions zsh > "${fpath[1]}/_spool"', 'for zsh'],
      ['spool completions fish > ~/.config/fish/completions/spool.fish', 'for fish'],
    ],
  },
  'shell-integration': {
    summary: 'print a script that makes your shell mark its prompts and commands',
    operands: ['bash|zsh|fish'],
    flags: {},
    details: [
      'With the marks (OSC 133) Spool knows which command runs in a shell, and how it ended.',
      'Outside of a session the script does nothing.',
    ].join('\n'),
    examples: [
      ['eval "$(spool shell-integration bash)"', 'at the end of ~/.bashrc'],
      ['eval "$(spool shell-integration zsh)"', 'at the end of ~/.zshrc'],
      ['spool shell-integration fish | source', 'at the end of ~/.config/fish/config.fish'],
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

/** The verb of this name or alias; undefined if there is none. */
export function verbCalled(name: string): VerbName | undefined {
  if (isVerb(name)) return name;
  const verbs: Readonly<Record<string, Verb>> = VERBS;
  return (Object.keys(VERBS) as VerbName[]).find((verb) => verbs[verb]!.aliases?.includes(name));
}
