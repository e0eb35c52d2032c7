/** Verbs that show the output of a session. */
import type { Verb } from '../arguments.ts';
import { HISTORY, HISTORY_LINES_MAX } from './shared-flags.ts';

const TIME_ABOUT = [
  'TIME is a time in your time zone (14:03, 14:03:22.5, 2026-01-31 14:03, yesterday 14:03), a time ago (10m ago, -10m), or',
  'milliseconds since 1970. Every time that Spool prints is accepted. OFFSET is #12345.',
].join('\n');

export const OUTPUT_VERBS = {
  logs: {
    summary: 'print the output of a session, as you would have seen it',
    operands: ['[ID…]'],
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
      full: { kind: 'on', about: 'of an agent without a terminal: show everything that its tools printed' },
      frames: { kind: 'on', about: 'print every screen at which a full-screen program paused, not only its last one' },
      text: { kind: 'on', about: 'plain text, without colours (the default in a pipe or a file)' },
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
      'Of several sessions, each line begins with the name of its session; with -f their lines come as they are printed.',
      'If output was already deleted, a notice on stderr gives its offsets.',
      '--json prints a JSON object per line (`line`, `screen-line`, `gap`); --json --raw prints the output as it came (`output`).',
    ].join('\n'),
    examples: [
      ['spool logs --tail 50 api', 'the last 50 lines'],
      ['spool logs --since 10m --timestamps api', 'the last ten minutes, with the time of each line'],
      ["spool logs --grep 'error|warn' -C 2 api", 'matching lines and two around each'],
      ['spool logs --json --grep error api | jq -r .text', 'for a program: each line with its time'],
      ['spool logs -f api web worker', 'three sessions at once'],
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
        about: `include this many lines above the screen, or all (default: 0, maximum: ${HISTORY_LINES_MAX})`,
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
} as const satisfies Record<string, Verb>;
