import { COMMAND_ROLES, type Role, ROLES, type SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { checkRole, rewriteForRole } from './requests.ts';

type Json = Readonly<Record<string, unknown>>;

const request = (command: unknown): Json => ({ op: 'command', session: 's', id: 'i', command });

/** Returns the command that the keeper gets, or the code of the refusal. */
function passed(role: Role, command: unknown): unknown {
  try {
    return rewriteForRole(role, checkRole(role, false, request(command)))['command'];
  } catch (error) {
    return (error as SpoolError).code;
  }
}

/** The commands for operators, listed independently of the table that decides. */
const FOR_OPERATORS = ['setMode', 'setModel', 'slash', 'background', 'stopTask', 'close'];

test.each(ROLES)('[DOOR-43] each command for an agent is refused to a %s, or passed on, as the table says', (role) => {
  for (const what of Object.keys(COMMAND_ROLES)) {
    const isAllowed = role === 'operator' || role === 'owner' || (role === 'prompter' && !FOR_OPERATORS.includes(what));
    const given = { do: what };
    const expected = !isAllowed ? 'ROLE_TOO_LOW' : expect.objectContaining(given);
    expect([what, passed(role, given)]).toEqual([what, expected]);
  }
});

test('[DOOR-43] a command that the gateway does not know is refused to everyone', () => {
  for (const role of ['prompter', 'operator', 'owner'] as const)
    for (const command of [{ do: 'grantAll' }, { do: 'toString' }, { do: '__proto__' }, {}, null, 'close', 7, []])
      expect([role, command, passed(role, command)]).toEqual([role, command, 'REQUEST_UNKNOWN']);
});

test('[DOOR-44] a prompter allows this one request with the input that was shown, whatever the command says', () => {
  const allow = { do: 'permission', request: 'r', digest: '1-a', option: 'o' };
  for (const once of [undefined, false, true, 'no'])
    expect(passed('prompter', { ...allow, ...(once !== undefined && { once }) })).toEqual({ ...allow, once: true });
  expect(passed('operator', allow)).toEqual(allow);
  for (const input of [{ command: 'rm -rf /' }, {}, null, undefined]) {
    expect(passed('prompter', { ...allow, input })).toBe('ROLE_TOO_LOW');
    expect(passed('operator', { ...allow, input })).toEqual({ ...allow, input });
  }
});

test('[DOOR-44] the prompts of a prompter are words: no files, no addresses, no commands of the agent itself', () => {
  const text = (words: string): Json => ({ type: 'text', text: words });
  const refused = [
    text('/model opus'),
    text(' \n/permissions'),
    text('/compact'),
    { type: 'resource', uri: 'file:///etc/shadow' },
    { type: 'resource', uri: 'x', text: 'y' },
    { type: 'image', mime: 'image/png', uri: 'file:///root/x.png' },
    { type: 'other', value: { type: 'bash' } },
    { type: 'later' },
    null,
  ];
  for (const what of ['prompt', 'editPrompt'])
    for (const part of refused) {
      const command = { do: what, clientId: 'c', content: [text('fine'), part] };
      expect([part, passed('prompter', command)]).toEqual([part, 'ROLE_TOO_LOW']);
      expect(passed('operator', command)).toEqual(command);
    }
  for (const part of [text('/etc/hosts is wrong'), text('a /model'), text('1/2'), { type: 'image', data: 'AA' }]) {
    const command = { do: 'prompt', clientId: 'c', content: [part] };
    expect(passed('prompter', command)).toEqual(command);
  }
  const deny = { do: 'permission', request: 'r', behavior: 'deny' };
  expect(passed('prompter', { ...deny, message: '/model opus' })).toBe('ROLE_TOO_LOW');
  expect(passed('prompter', { ...deny, message: 'use rg' })).toMatchObject({ message: 'use rg' });
});

test('[DOOR-44] keys are not part of a prompt of a prompter, for terminals either', () => {
  const prompt = (role: Role, text: string): unknown => {
    try {
      return checkRole(role, false, { op: 'prompt', session: 's', text })['text'];
    } catch (error) {
      return (error as SpoolError).code;
    }
  };
  for (const key of ['\u0003', '\r', '\u0004', '\u001a', '\u001b[A', '\u007f', '\u009b', '\b', '\0']) {
    expect([key, prompt('prompter', `ls${key}x`)]).toEqual([key, 'ROLE_TOO_LOW']);
    expect(prompt('operator', `ls${key}x`)).toBe(`ls${key}x`);
  }
  expect(prompt('prompter', '/clear')).toBe('ROLE_TOO_LOW');
  expect(prompt('prompter', 'two\nlines\tand a tab, ünd 字')).toBe('two\nlines\tand a tab, ünd 字');
});
