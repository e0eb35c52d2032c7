import { type Command, DATA_CHARS_MAX, TEXT_CHARS_MAX } from '@spool/protocol/agent';
import { AGENT_COMMAND_SCHEMA } from '@spool/protocol/agent/command-schema';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCommand, mutatedCommand, VALID_COMMANDS } from '../testing/any-command.ts';
import { commandFault } from './command-check.ts';

const agrees = (command: unknown): void => {
  const isValid = AGENT_COMMAND_SCHEMA.safeParse(command).success;
  expect({ command, isValid: commandFault(command) === null }).toEqual({ command, isValid });
};

test('[DRV-17] every kind of command is valid, with all of its fields and with few', () => {
  expect(new Set(VALID_COMMANDS.map((command) => command.do)).size).toBe(15);
  for (const command of VALID_COMMANDS) {
    expect(commandFault(command)).toBeNull();
    agrees(command);
  }
});

test('[DRV-17] the check of the driver and the schema of the keeper agree on arbitrary JSON', () => {
  fc.assert(fc.property(anyCommand, agrees), { numRuns: 2000 });
});

test('[DRV-17] they agree on valid commands in which one thing was changed', () => {
  fc.assert(fc.property(mutatedCommand, agrees), { numRuns: 5000 });
});

test.each<[string, Command, boolean]>([
  ['a text of the longest length', prompt({ type: 'text', text: 'x'.repeat(TEXT_CHARS_MAX) }), true],
  ['a longer one', prompt({ type: 'text', text: 'x'.repeat(TEXT_CHARS_MAX + 1) }), false],
  ['the largest image', prompt({ type: 'image', mime: 'a/b', data: 'x'.repeat(DATA_CHARS_MAX) }), true],
  ['a larger one', prompt({ type: 'image', mime: 'a/b', data: 'x'.repeat(DATA_CHARS_MAX + 4) }), false],
  ['an image that is not base64', prompt({ type: 'image', mime: 'a/b', data: 'x'.repeat(4000) + '!' }), false],
  [
    'too many parts',
    { ...prompt(), content: Array.from({ length: 101 }, () => ({ type: 'text', text: '' })) } as Command,
    false,
  ],
  ['no part', prompt(), false],
])('[DRV-17] %s', (_, command, isValid) => {
  agrees(command);
  expect(commandFault(command) === null).toBe(isValid);
});

function prompt(...content: (Command & { do: 'prompt' })['content']): Command {
  return { do: 'prompt', clientId: 'c', content };
}
