/** Verbs that list sessions. */
import type { Verb } from '../arguments.ts';

const STATES = 'running blocked working idle starting ended exited failed stopped killed lost'.split(' ');
/** The beginnings and whole filters that completions offer. */
const FILTER_WORDS = [...STATES.map((state) => `state=${state}`), 'label=', 'name=', 'agent='];

export const LIST_VERBS = {
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
        words: FILTER_WORDS,
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
      seen: { kind: 'on', about: 'do not ask nodes: list their sessions as last seen, at once' },
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
      'command or an agent, r renames, s stops, x removes, / filters, a shows ended sessions, o sorts, v hides the preview, q quits.',
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
} as const satisfies Record<string, Verb>;
