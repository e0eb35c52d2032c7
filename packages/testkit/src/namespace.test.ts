import { expect, test } from 'vitest';
import { inNamespace, NAMESPACES_MISSING, runInNamespace, startWithPid } from './namespace.ts';
import { testNeeding } from './needs.ts';

testNeeding(NAMESPACES_MISSING)(
  'a body runs among processes of its own, may choose a pid, and orphans are reaped',
  async () => {
    const body = new URL('testing/namespace-body.ts', import.meta.url);
    expect(await inNamespace(body, { pid: 4242 })).toEqual({ chosen: 'sleep', init: 'sh', sessionOfInit: '0' });
  },
);

testNeeding(NAMESPACES_MISSING)(
  'what a body throws is thrown, and a command tells its exit code and what it printed',
  async () => {
    await expect(inNamespace(new URL('testing/namespace-body.ts', import.meta.url), { pid: 1 })).rejects.toThrow(
      /pid 1\b/,
    );
    expect(await runInNamespace(['sh', '-c', 'echo $PPID; echo oh >&2; exit 3'])).toEqual({
      code: 3,
      stdout: '1\n',
      stderr: 'oh\n',
    });
  },
);

testNeeding(NAMESPACES_MISSING)('what takes too long is ended, with all that it started', async () => {
  await expect(runInNamespace(['sleep', '1000'], { withinMs: 50 })).rejects.toThrow(/did not end within 50 ms/);
});

test('outside, no pid can be chosen', () => {
  expect(() => startWithPid(1, ['true'])).toThrow(/namespace/);
});
