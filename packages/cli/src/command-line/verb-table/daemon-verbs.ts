/** Verbs about the daemon and its configuration. */
import type { Verb } from '../arguments.ts';

export const DAEMON_VERBS = {
  daemon: {
    summary: 'start, stop, restart, upgrade or show the daemon',
    operands: ['start|stop|status|restart|upgrade'],
    flags: {
      grace: {
        kind: 'duration',
        value: 'DUR',
        short: 'g',
        about: 'stop: time that sessions get to end (default: 5s)',
      },
      force: { kind: 'on', short: 'f', about: 'stop, restart, upgrade: end running sessions, without a question' },
    },
    details: [
      'The first verb that needs the daemon starts it. `stop` ends all sessions and keeps their output. If sessions are running,',
      'it asks for confirmation at a terminal; elsewhere it needs --force.',
      '`restart` replaces the daemon processes one by one with those of the installation that it is run from. Sessions keep',
      'running; attached terminals pause briefly. If the new program does not start, the old one continues. Where sessions',
      'would end, `restart` refuses without --force.',
      '`upgrade`, after the installation of another version, is a restart with proof: first that the new program reads every running',
      'session, then that it has every one of them. It prints the versions before and after.',
      '`status` does not start a daemon: if none is running, it reports this and the exit code is 1.',
    ].join('\n'),
    examples: [
      ['spool daemon status', 'whether it is running, uptime, memory'],
      ['spool daemon upgrade', 'run the version that was just installed; sessions continue'],
    ],
  },
  policy: {
    summary: 'try and check the rules that answer agents for you',
    operands: ['test|check'],
    flags: {
      tool: { kind: 'text', value: 'TOOL', about: 'with test: the tool that an agent asks for, such as Bash or Edit' },
      command: { kind: 'text', value: 'LINE', about: 'with test: the shell line that it would run' },
      input: { kind: 'text', value: 'JSON', about: 'with test: the whole input of the tool' },
      cwd: { kind: 'text', value: 'DIR', about: "with test: the agent's folder (default: this one)" },
      policy: { kind: 'text', value: 'FILE', about: 'use this file instead of policy.json in your configuration' },
    },
    details: [
      '`test` says what the policy decides about a request (allow, ask or deny), and why. `check` names rules that cannot do what they',
      'say, with exit code 1, and explains rules without limits. The language of rules is in docs/policy.md.',
    ].join('\n'),
    examples: [
      ["spool policy test --tool Bash --command 'git log -3'", 'would this be asked?'],
      ['spool policy test --tool Edit --input \'{"file_path": "src/a.ts"}\'', 'the same for a file'],
      ['spool policy check', 'after a change of the rules'],
    ],
  },
  config: {
    summary: 'check, show and change your configuration',
    operands: ['check|path|show|set|unset', '[KEY]', '[VALUE]'],
    flags: {},
    details: [
      '`check` names every mistake with its line; the exit code is 1 if a value cannot be used. `path` prints where the file is.',
      '`show` prints every setting, its value and where it comes from. `set` changes one setting, `unset` removes it; VALUE is JSON, or',
      'a plain word. A value that cannot be used is refused.',
    ].join('\n'),
    examples: [
      ['spool config check', 'after a change'],
      ['spool config show', 'what applies, and why'],
      ['spool config set keepEnded.age 90d', 'keep ended sessions for 90 days'],
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
    flags: {
      fix: {
        kind: 'on',
        about: 'apply the remedies that can do no harm: link spool into ~/.local/bin, make folders private',
      },
    },
    details: [
      '`doctor` starts no daemon. It also checks your own rules and milestones. The exit code is 1 if a check failed; warnings do',
      'not count. `rules` applies all rules, yours too, to the screens that you saved with `spool explain --save`; a screen that',
      'is misread is a failed check.',
    ].join('\n'),
    examples: [
      ['spool doctor', 'one line per check'],
      ['spool doctor --fix', 'mend what is safe to mend'],
      ['spool doctor rules', 'test the rules on your saved screens'],
    ],
  },
} as const satisfies Record<string, Verb>;
