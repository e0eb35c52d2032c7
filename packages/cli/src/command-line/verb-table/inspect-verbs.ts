/** Verbs that show the present and the past of a session. */
import type { Verb } from '../arguments.ts';

export const INSPECT_VERBS = {
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
    flags: {
      follow: { kind: 'on', short: 'f', about: 'print another one when the session ends' },
      every: {
        kind: 'duration',
        value: 'DUR',
        about: 'with -f: also print one at this interval, if the session has printed something since',
      },
    },
    details: [
      'For a running session, it summarizes the current state. Changed files are the files in its folder that git reports as',
      'changed and that were modified after the session started, plus files committed since. This needs a git repository.',
    ].join('\n'),
    examples: [
      ['spool summary build', 'a readable page'],
      ['spool summary --every 5m -f claude', 'what it has done, every five minutes and at the end'],
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
      agent: {
        kind: 'on',
        short: 'a',
        about: 'what an agent without a terminal does (run --agent): messages, tools, permissions',
      },
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
} as const satisfies Record<string, Verb>;
