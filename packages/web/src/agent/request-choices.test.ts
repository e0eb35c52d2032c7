import { expect, test } from 'vitest';
import { makeButtons } from './request-choices.ts';

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
    { label: 'label of ever', behavior: 'allow', option: 'ever' },
    { label: 'label of yes', behavior: 'allow', option: 'yes' },
    { label: 'label of no', behavior: 'deny', option: 'no' },
  ]);
  expect(makeButtons({ options: [option('never', 'reject_always')] })).toEqual([
    { label: 'label of never', behavior: 'deny', option: 'never' },
  ]);
  expect(makeButtons({ options: [] }).map(({ label }) => label)).toEqual(['Allow', 'Deny']);
});

test('[PAGE-54] a request that is not there whole has no button that allows', () => {
  const options = [option('yes', 'allow_once'), option('no', 'reject_once')];
  expect(makeButtons({ options, isCut: true }).map(({ option: id }) => id)).toEqual(['no']);
  expect(makeButtons({ options: [], isCut: true })).toEqual([{ label: 'Deny', behavior: 'deny' }]);
});
