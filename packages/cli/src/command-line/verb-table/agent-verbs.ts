/** Verbs for agents without a terminal (`run --agent`). */
import type { Verb } from '../arguments.ts';

const REQUEST = {
  kind: 'text',
  value: 'REQUEST',
  short: 'r',
  about: 'the request to answer; needed if several wait',
} as const;
const FOLLOWS = 'The first answer counts; a later one is refused with the name of the first author.';

export const AGENT_VERBS = {
  approve: {
    summary: 'allow what an agent asks for',
    operands: ['[ID]'],
    flags: {
      request: { ...REQUEST, about: 'the request to answer, without a confirmation' },
      digest: { kind: 'text', value: 'DIGEST', about: 'allow it only if its content still has this digest' },
      option: { kind: 'text', value: 'OPTION', short: 'o', about: 'choose this option by its id or label' },
      always: { kind: 'on', about: 'allow it from now on, where the agent offers that' },
      input: { kind: 'text', value: 'JSON', about: 'allow it with this input instead' },
    },
    details: [
      'Shows the whole request and asks for your decision. Without a terminal, name the request: `spool inspect ID --json` lists the open requests with their input and digest. The answer counts only for the',
      'content that was shown.',
      FOLLOWS,
    ].join('\n'),
    examples: [
      ['spool approve', 'show the request that has waited longest, and ask'],
      ['spool approve claude --always', 'and do not ask again'],
      ['spool approve claude --request R --digest D', 'in a script'],
    ],
  },
  deny: {
    summary: 'deny what an agent asks for',
    operands: ['[ID]'],
    flags: {
      request: REQUEST,
      option: { kind: 'text', value: 'OPTION', short: 'o', about: 'choose this option by its id or label' },
      message: { kind: 'text', value: 'TEXT', short: 'm', about: 'give the agent this reason' },
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
      'Claude and Codex take a prompt in a running turn. With Gemini, Grok and other ACP agents, the prompt waits for the end of the turn.',
    examples: [
      ['spool queue claude', 'what waits'],
      ['spool queue claude --remove k3x9d2', 'take one back'],
      ['spool queue claude --send-now k3x9d2', 'do not wait for the end of the turn'],
    ],
  },
  resume: {
    summary: 'resume an agent that has ended',
    operands: ['ID', '[PROMPT…]'],
    flags: {
      detach: { kind: 'on', short: 'd', about: 'return at once; the agent continues in the background' },
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
      'The agent is started again with its own flags, in a new session, and continues from its own record of the conversation. The log',
      'of the old session stays there. Without PROMPT, the agent waits for one (`spool prompt`); with PROMPT, the session ends after that',
      'turn, unless it is detached. No agent is resumed automatically, or while another session has resumed it.',
    ].join('\n'),
    examples: [
      ['spool resume claude', 'after a crash or a reboot; then spool prompt claude "go on"'],
      ['spool resume claude -d "go on"', 'with a prompt'],
    ],
  },
  interrupt: {
    summary: 'interrupt the running turn of an agent',
    operands: ['[ID]'],
    flags: { queued: { kind: 'on', about: 'also remove the prompts that wait' } },
    details: 'The session keeps running and takes the next prompt. `spool stop` ends it.',
    examples: [['spool interrupt claude', 'stop the running turn']],
  },
} as const satisfies Record<string, Verb>;
