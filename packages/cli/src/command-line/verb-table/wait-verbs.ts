/** Verbs that wait for sessions. */
import type { Verb } from '../arguments.ts';
import { WAIT_WORDS } from './shared-flags.ts';

export const WAIT_VERBS = {
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
        kind: 'limit',
        value: 'DUR|none',
        short: 't',
        about: 'run: stop the task after this time (default: 5m); wait: stop waiting after this time (default: none)',
      },
      cwd: { kind: 'text', value: 'DIR', short: 'C', about: 'run: the working folder (default: the current one)' },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'run: set an environment variable; without a value, copy yours (repeatable)',
      },
      'inherit-env': { kind: 'on', about: 'run: pass the whole environment instead of the allow-list' },
      label: { kind: 'text', value: 'KEY=VALUE', short: 'l', many: true, about: 'run: a label (repeatable)' },
      size: { kind: 'size', value: 'COLSxROWS', about: 'run: the size of its terminal (default: 80x24)' },
      'with-me': { kind: 'on', about: 'run: stop the task when the program that called spool is gone' },
      owner: { kind: 'whole', value: 'PID', about: 'run: stop the task when this process is gone' },
      mine: { kind: 'on', about: 'ls: only tasks of the program that called spool' },
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
      'A task is a session that is expected to finish. It keeps running when the client that started it goes away, except with',
      '--with-me and --owner. Several tasks may have one name: the session of the second is called NAME-2. `run` and',
      '`wait` show one line per task: elapsed time, milestones, progress; and the last lines of output if a task fails.',
      'Without an ID, `wait` waits for all running tasks, and `logs` shows the latest task.',
      'Ctrl-C leaves the tasks running; a second Ctrl-C within two seconds cancels them.',
      'Exit code: that of the command (of several: the first that is not 0), or 124 if the time limit ended it.',
      '--json prints task_started, task_log, task_blocked, milestone and task_finished events; with `ls` the tasks; with -d the task.',
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
} as const satisfies Record<string, Verb>;
