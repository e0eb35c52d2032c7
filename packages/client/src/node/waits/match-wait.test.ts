import { expect, onTestFinished, test } from 'vitest';
import { FakeKeeper } from '../../../test/fake-keeper.ts';
import { quiet } from '../../../test/quiet.ts';
import { Client } from '../../index.ts';
import { waitForMatch } from './match-wait.ts';
import { Pattern } from './pattern.ts';

test('[STATE-5] what comes before and after a gap is not one line', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(keeper);
  onTestFinished(() => client.close());
  const session = keeper.session('s', 'REA');
  const { signal } = new AbortController();
  const end = waitForMatch(client, 's', new Pattern('/READY (\\d)/'), { from: 'start', signal });
  await quiet(keeper);
  session.firstOffset = 10;
  keeper.print(session, '.......DY 1\nREADY 2\n');
  expect(await end).toEqual({ reason: 'match', offset: 23, match: ['READY 2', '2'] });
});
