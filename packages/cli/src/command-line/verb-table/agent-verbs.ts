/** Verbs for agents without a terminal (`run --agent`). */
import type { Verb } from '../arguments.ts';

const REQUEST = {
  kind: 'text',
  value: 'REQUEST',
  short: 'r',
  about: 'which request (default: the oldest that waits)',
} as const;
const FOLLOWS =
  'Without ID: the session that has waited longest. The first answer counts; a later one says who answered first.';

export const AGENT_VERBS = {
  approve: {
    summary: 'allow what an agent asks for',
    operands: ['[ID]'],
    flags: {
      request: REQUEST,
      option: { kind: 'text', value: 'OPTION', short: 'o', about: 'choose this option by its id or label' },
      always: { kind: 'on', about: 'allow it from now on, where the agent offers that' },
      input: { kind: 'text', value: 'JSON', about: 'allow it with this input instead' },
    },
    details: FOLLOWS,
    examples: [
      ['spool approve', 'the question that has waited longest'],
      ['spool approve claude --always', 'and do not ask again'],
    ],
  },
  deny: {
    summary: 'deny what an agent asks for',
    operands: ['[ID]'],
    flags: {
      request: REQUEST,
      option: { kind: 'text', value: 'OPTION', short: 'o', about: 'choose this option by its id or label' },
      message: { kind: 'text', value: 'TEXT', short: 'm', about: 'tell the agent why' },
      interrupt: { kind: 'on', about: 'also interrupt the turn' },
    },
    details: FOLLOWS,
    examples: [['spool deny claude -m "use the test database"', 'with a reason']],
  },
  answer: {
    summary: 'answer a question of an agent',
    operands: ['[ID]', '[ANSWER…]'],
    flags: {
      request: REQUEST,
      decline: { kind: 'on', about: 'decline to answer' },
    },
    details: 'One ANSWER for each question, in order: the label of an option, or free text.',
    examples: [['spool answer claude Blue', 'the option with this label']],
  },
  queue: {
    summary: 'list the prompts that wait for an agent, or change them',
    operands: ['ID'],
    flags: {
      remove: { kind: 'text', value: 'PROMPT', about: 'remove the prompt with this id' },
      edit: { kind: 'text', value: 'PROMPT', about: 'replace the prompt with this id by --text' },
      text: { kind: 'text', value: 'TEXT', about: 'with --edit: the new text' },
      move: { kind: 'text', value: 'PROMPT', about: 'move the prompt with this id to the end, or before --before' },
      before: { kind: 'text', value: 'PROMPT', about: 'with --move: the prompt that then follows' },
      'send-now': {
        kind: 'text',
        value: 'PROMPT',
        about: 'send the prompt with this id into the running turn, where the agent can take it',
      },
    },
    details:
      'Claude and Codex take a prompt in a running turn. Gemini, Grok and other ACP agents do not: there it keeps waiting.',
    examples: [
      ['spool queue claude', 'what waits'],
      ['spool queue claude --remove k3x9d2', 'take one back'],
      ['spool queue claude --send-now k3x9d2', 'do not wait for the end of the turn'],
    ],
  },
  resume: {
    summary: 'go on with an agent that has ended',
    operands: ['ID', '[PROMPT…]'],
    flags: {
      detach: { kind: 'on', short: 'd', about: 'return at once; the agent goes on in the background' },
      name: {
        kind: 'text',
        value: 'NAME',
        short: 'n',
        about: 'name of the new session (default: that of the old one)',
      },
      env: {
        kind: 'text',
        value: 'KEY[=VALUE]',
        short: 'e',
        many: true,
        about: 'set an environment variable; without a value, copy yours (repeatable)',
      },
      'inherit-env': { kind: 'on', about: 'pass the whole environment instead of the allow-list' },
      timeout: { kind: 'duration', value: 'DUR', short: 't', about: 'stop the session after this time' },
    },
    details: [
      'The agent is started again with its own flags, in a new session, and goes on with its own record of the conversation. `ID`',
      'keeps the log of what came before. Without PROMPT it waits for one (`spool prompt`); with one, it ends with that turn, unless',
      'it is detached. Agents are never resumed automatically, and not while another session goes on with them.',
    ].join('\n'),
    examples: [
      ['spool resume claude', 'after a crash or a reboot; then spool prompt claude "go on"'],
      ['spool resume claude -d "go on"', 'with a prompt'],
    ],
  },
  interrupt: {
    summary: 'interrupt what an agent does',
    operands: ['[ID]'],
    flags: { queued: { kind: 'on', about: 'also remove the prompts that wait' } },
    details: 'The session stays, and takes the next prompt. `spool stop` ends it.',
    examples: [['spool interrupt claude', 'stop the running turn']],
  },
} as const satisfies Record<string, Verb>;
