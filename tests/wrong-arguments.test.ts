/** Tests wrong arguments for each request of the keeper, each MCP tool and each flag: the answer is a sentence. */
import type { ERROR_CODES } from '@spool/protocol';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import { BareClient, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { McpAgent } from './support/mcp-agent.ts';

/** Words of the validator, of the runtime, and of a program that crashed. */
const LEAKED =
  /Invalid (input|arguments|option)|expected \w+, received|Unrecognized key|Too (big|small)|[<>]=|ZodError|\n\s+at |undefined|\[object/;
const NAMES_AND_DEMANDS = /(must (be|have|not)|is missing; it must|is not a known field|has a wrong field)/;

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

/** Returns a value that this field cannot have. */
function wrongFor({ type }: { readonly type?: string }): unknown {
  return type === 'object' ? 7 : { wrong: true };
}

test('[SAY-6] each request of the keeper names the wrong field and what it must be', async () => {
  await using daemon = new TestDaemon();
  const { socket } = await (await daemon.client()).status();
  const bare = await BareClient.connect(socket);
  let channel = 1;
  for (const [op, schema] of Object.entries(REQUEST_SCHEMAS)) {
    const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Schema;
    for (const [field, type] of [...Object.entries(properties), ['nonsense', {}] as const]) {
      const error = (await bare.answer((channel += 2), { op, [field]: wrongFor(type) }).then(
        () => ({ code: 'answered', details: {} }),
        (refused: unknown) => refused,
      )) as { code: keyof typeof ERROR_CODES; details: Record<string, string> };
      expect([op, field, error.code]).toEqual([op, field, expect.stringMatching(/^REQUEST_(INVALID|UNKNOWN)$/)]);
      const { reason = '' } = error.details;
      expect(reason).toMatch(NAMES_AND_DEMANDS);
      expect(reason).not.toMatch(LEAKED);
      expect(reason.startsWith(error.details['field']!), reason).toBe(true);
    }
  }
  bare.close();
});

test('[SAY-6] each MCP tool names the wrong argument and what it must be', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const { tools } = await agent.client.listTools();
  for (const { name, inputSchema } of tools) {
    const { properties = {} } = inputSchema as Schema;
    for (const [field, type] of [...Object.entries(properties), ['nonsense', {}] as const]) {
      const { isError, text } = await agent.call(name, { [field]: wrongFor(type) });
      expect([name, field, isError]).toEqual([name, field, true]);
      expect(text).toMatch(new RegExp(`^${name}: [\\w.]+ .*; nothing was done$`));
      expect(text).toMatch(NAMES_AND_DEMANDS);
      expect(text).not.toMatch(LEAKED);
    }
  }
});

test.each([
  [['run', '--name', '', '--', 'true'], 'name'],
  [['run', '--name', 'x'.repeat(101), '--', 'true'], 'name'],
  [['run', '--label', 'x', '--', 'true'], '--label'],
  [['run', '--env', '=x', '--', 'true'], '--env'],
  [['run', '--size', '0x0', '--', 'true'], '--size'],
  [['run', '--size-policy', 'best', '--', 'true'], '--size-policy'],
  [['run', '--detach-keys', 'what', '--', 'true'], '--detach-keys'],
  [['run', '--timeout', 'soon', '--', 'true'], '--timeout'],
  [['run', '--retain', 'much', '--', 'true'], '--retain'],
  [['rename', 'sleeper', ''], 'name'],
  [['update', 'sleeper', '--name', 'a\nb'], 'name'],
  [['wait', 'sleeper', '--until', 'doomsday'], 'doomsday'],
  [['wait', 'sleeper', '--until', 'match:/(/'], 'pattern'],
  [['wait', 'sleeper', '--after', '99999', '--until', 'match:/x/'], 'after'],
  [['screen', 'sleeper', '--format', 'jpeg'], '--format'],
  [['screen', 'sleeper', '--at', 'noonish'], '--at'],
  [['logs', 'sleeper', '--since', 'noonish'], '--since'],
  [['kill', 'sleeper', '-s', 'DOOM'], 'DOOM'],
  [['keys', 'sleeper', 'Entre'], 'Entre'],
  [['events', '--type', 'doom'], 'doom'],
  [['replay', 'sleeper', '--speed', 'warp'], '--speed'],
  [['stop', 'sleeper', '--grace', '99999h'], 'grace'],
  [['ls', '--sort', 'beauty'], '--sort'],
  [['ls', '--filter', 'x'], '--filter'],
  [['daemon', 'dance'], 'dance'],
  [['task', 'dance'], 'dance'],
  [['completions', 'tcsh'], 'tcsh'],
] as const)('[SAY-6] spool %j: a sentence that names %s, and exit code 2', async (args, named) => {
  await using daemon = new TestDaemon();
  await daemon.json('run', '-d', '--name', 'sleeper', '--', 'sleep', '1000');
  const { code, stdout, stderr } = await daemon.spool(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^spool: .{10,}\n(Try: spool .*\n)?$/);
  expect(stderr).toContain(named);
  expect(stderr).not.toMatch(LEAKED);
});
