/** Tests that only processes of sessions are ever signalled. All tests here run in their own pid namespace. */
import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { beforeEach, describe, expect, test } from 'vitest';

function inside<Result>(body: string, input: unknown = null): Promise<Result> {
  return inNamespace<Result>(new URL(`bodies/${body}.ts`, import.meta.url), input, { withinMs: 40_000 });
}

describe('in a pid namespace', () => {
  beforeEach(({ skip }) => skip(NAMESPACES_MISSING !== null, NAMESPACES_MISSING ?? ''));

  test.each([{ size: { cols: 80, rows: 24 } }, { size: null }])(
    '[RUN-7] [LIFE-1] a holder that dies while a run is pending harms nobody, and the run is answered once (%o)',
    async (input) => {
      expect(await inside('holder-dies-while-starting', input)).toEqual({
        bystander: true,
        init: true,
        ran: 'ran',
        state: 'running',
        other: 'running',
        isReplaced: true,
      });
    },
  );

  test('[LIFE-1] [RUN-7] runs that come while holders die are all answered, and each session has one process', async () => {
    expect(await inside('runs-while-holders-die')).toEqual({
      answered: 30,
      states: ['running'],
      processes: 30,
      isEachTheChild: true,
    });
  });

  test.each([
    { how: 'ended', state: 'exited' },
    { how: 'stopped', state: 'stopped' },
    { how: 'lost', state: 'lost' },
  ])('[RUN-7] a process that got the pid of a session that is over is left alone ($how)', async ({ how, state }) => {
    expect(await inside('reused-pid', { how })).toEqual({ state, strangers: 2 });
  });

  test('[RUN-7] a daemon that was started inside a session, with a home of its own, outlives it with its sessions', async () => {
    expect(await inside('nested-daemon')).toEqual({
      outer: 'stopped',
      daemon: [true, true],
      isInGroup: [false, false],
      inner: 'running',
      orphans: true,
    });
  });

  test('[RUN-9] scanning 1,500 processes delays no request by more than 10 ms', async () => {
    const { longestMs, ...rest } = await inside<{ longestMs: number; found: number; bystander: boolean }>(
      'many-processes',
    );
    expect(rest).toEqual({ found: 1500, bystander: true });
    expect(longestMs).toBeLessThan(10);
  });
});
