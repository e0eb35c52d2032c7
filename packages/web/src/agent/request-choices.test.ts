import { expect, test } from 'vitest';
import { isNamedAllow, keysOf, makeButtons } from './request-choices.ts';

const option = (id: string, kind: string): never => ({ id, label: `label of ${id}`, kind }) as never;
const allowing = (...options: never[]): (string | undefined)[] =>
  makeButtons({ options })
    .filter(({ behavior }) => behavior === 'allow')
    .map(({ option: id }) => id);

test('[PAGE-56] an option of unknown meaning is no button, whatever it is called, and never one that allows', () => {
  for (const kind of ['other', 'allow', 'turbo', 'toString', '']) {
    const odd = option('odd', kind);
    expect([kind, makeButtons({ options: [odd] })]).toEqual([kind, [{ label: 'Deny', behavior: 'deny' }]]);
    expect(allowing(odd, option('yes', 'allow_once'))).toEqual(['yes']);
  }
});

test('[PAGE-56] a button has the id of its option, and says what it does', () => {
  const options = [option('no', 'reject_once'), option('ever', 'allow_always'), option('yes', 'allow_once')];
  expect(makeButtons({ options })).toEqual([
    { label: 'label of ever', behavior: 'allow', option: 'ever', isLasting: true },
    { label: 'label of yes', behavior: 'allow', option: 'yes' },
    { label: 'label of no', behavior: 'deny', option: 'no' },
  ]);
  expect(makeButtons({ options: [option('never', 'reject_always')] })).toEqual([
    { label: 'label of never', behavior: 'deny', option: 'never', isLasting: true },
  ]);
  expect(makeButtons({ options: [] }).map(({ label }) => label)).toEqual(['Allow', 'Deny']);
});

test('[PAGE-54] a request that is not there whole has no button that allows', () => {
  const options = [option('yes', 'allow_once'), option('no', 'reject_once')];
  expect(makeButtons({ options, isCut: true }).map(({ option: id }) => id)).toEqual(['no']);
  expect(makeButtons({ options: [], isCut: true })).toEqual([{ label: 'Deny', behavior: 'deny' }]);
});

test('[CARD-7] y allows once, a allows from now on, n denies, and numbers choose', () => {
  const options = [option('ever', 'allow_always'), option('yes', 'allow_once'), option('no', 'reject_once')];
  const keys = keysOf(makeButtons({ options }));
  const chosen = Object.fromEntries([...keys].map(([key, choice]) => [key, choice.option]));
  expect(chosen).toEqual({ y: 'yes', a: 'ever', n: 'no', 1: 'ever', 2: 'yes', 3: 'no' });
  // Without an option that allows once, y allows nothing.
  const lasting = keysOf(makeButtons({ options: [option('ever', 'allow_always'), option('no', 'reject_once')] }));
  expect([...lasting.keys()].toSorted()).toEqual(['1', '2', 'a', 'n']);
});

test('[CARD-7] the name of a button that allows begins with that word', () => {
  expect(isNamedAllow({ label: 'Yes, and do not ask again', behavior: 'allow' })).toBe(false);
  expect(isNamedAllow({ label: 'Allow once', behavior: 'allow' })).toBe(true);
  expect(isNamedAllow({ label: 'No', behavior: 'deny' })).toBe(true);
});
