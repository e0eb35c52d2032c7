/** Commands for tests of properties: arbitrary JSON that looks like one, and valid ones in which something was changed. */
import type { Command, Content } from '@spool/protocol/agent';
import * as fc from 'fast-check';

const CONTENT: readonly Content[] = [
  { type: 'text', text: 'hello' },
  { type: 'image', mime: 'image/png', data: 'aGVsbG8=', uri: 'file:///a' },
  { type: 'resource', uri: 'file:///b', mime: 'text/plain', text: 'b' },
  { type: 'other', value: { a: [1] } },
];

/**
 * Valid commands: each with all of its fields, and each with only the required ones. The requests are those of
 * `any-command.test.ts`.
 */
export const VALID_COMMANDS: readonly Command[] = [
  { do: 'prompt', content: CONTENT, clientId: 'c1', when: 'now' },
  { do: 'prompt', content: CONTENT.slice(0, 1), clientId: 'c2' },
  { do: 'editPrompt', clientId: 'c1', content: CONTENT },
  { do: 'movePrompt', clientId: 'c1', before: 'c2' },
  { do: 'movePrompt', clientId: 'c1' },
  { do: 'cancelPrompt', clientId: 'c1' },
  { do: 'sendPrompt', clientId: 'c2' },
  { do: 'interrupt', alsoQueued: true },
  { do: 'interrupt' },
  {
    do: 'permission',
    request: 'r1',
    digest: '1-ab',
    option: 'allow_once',
    behavior: 'allow',
    input: { command: 'ls' },
    message: 'no',
    interrupt: true,
    once: true,
  },
  { do: 'permission', request: 'r1', behavior: 'deny' },
  { do: 'answer', request: 'r1', digest: '1-ab', answers: { a: 'b' } },
  { do: 'answer', request: 'r1' },
  { do: 'setMode', mode: 'plan' },
  { do: 'setModel', model: 'm' },
  { do: 'slash', name: 'compact', args: 'now', clientId: 'c3' },
  { do: 'slash', name: 'compact' },
  { do: 'toolOutput', tool: 't1' },
  { do: 'background', tool: 't1' },
  { do: 'background' },
  { do: 'stopTask', task: 'b1' },
  { do: 'close' },
];

const WORDS = [
  ...new Set(VALID_COMMANDS.flatMap((command) => [command.do, ...Object.keys(command)])),
  ...['type', 'text', 'image', 'resource', 'other', 'mime', 'data', 'uri', 'value'],
  ...['now', 'next', 'queue', 'allow', 'deny', 'aGVsbG8=', '', 'x'.repeat(101), 'x'.repeat(1001)],
  ...['constructor', '__proto__', 'hasOwnProperty', 'toString', 'c1', 'r1'],
];
const word = fc.constantFrom(...WORDS);

/** Values as JSON gives them: a key may be `__proto__`. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    word,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(fc.tuple(word, tie('value')), { maxLength: 5 }).map(objectOf),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

export const anyJson: fc.Arbitrary<unknown> = value;

export const anyCommand: fc.Arbitrary<unknown> = fc.oneof(
  value,
  fc
    .tuple(fc.constantFrom(...VALID_COMMANDS), fc.array(fc.tuple(word, value), { maxLength: 5 }))
    .map(([command, members]) => objectOf([['do', command.do], ...members])),
);

/** A valid command in which one value, at any depth, is replaced, removed or added. */
export const mutatedCommand: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom(...VALID_COMMANDS), fc.nat(), fc.constantFrom('set', 'delete', 'add'), word, value)
  .map(([command, at, how, key, other]) => {
    const copy: unknown = JSON.parse(JSON.stringify(command));
    const places: [holder: Record<string, unknown>, key: string][] = [];
    const visit = (holder: unknown): void => {
      if (typeof holder !== 'object' || holder === null) return;
      for (const [name, member] of Object.entries(holder)) {
        places.push([holder as Record<string, unknown>, name]);
        visit(member);
      }
    };
    visit(copy);
    const [holder, name] = places[at % places.length]!;
    if (how === 'set') define(holder, name, other);
    else if (how === 'add' && !Array.isArray(holder)) define(holder, key, other);
    else if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
    return copy;
  });

function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, member] of members) define(made, key, member);
  return made;
}

/** Defines a member as JSON.parse does: also `__proto__` becomes a member. */
function define(holder: object, key: string, member: unknown): void {
  Object.defineProperty(holder, key, { value: member, enumerable: true, writable: true, configurable: true });
}
