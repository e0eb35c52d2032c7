import type { SizePolicy } from '@spool/protocol';
import { expect, test } from 'vitest';
import { viewer } from '../testing/fake-session.ts';
import { isSameSize, Viewers } from './viewers.ts';

const WIDE = { cols: 200, rows: 20 };
const TALL = { cols: 90, rows: 60 };
const TINY = { cols: 20, rows: 5 };
const HUGE = { cols: 400, rows: 120 };
const POLICIES: readonly SizePolicy[] = ['latest', 'smallest', 'largest', 'fixed'];

function viewersOf(...attached: ReturnType<typeof viewer>[]): Viewers {
  const viewers = new Viewers();
  for (const each of attached) viewers.add(each);
  return viewers;
}

test.each([
  ['latest', TALL],
  ['smallest', { cols: 90, rows: 20 }],
  ['largest', { cols: 200, rows: 60 }],
  ['fixed', null],
] as const)('[SIZE-1] %s of a wide and then a tall viewer is %o', (policy, expected) => {
  expect(viewersOf(viewer(WIDE), viewer(TALL)).size(policy)).toEqual(expected);
});

test.each(POLICIES)("[SIZE-1] a read-only viewer's size never counts, with policy %s", (policy) => {
  const without = viewersOf(viewer(WIDE), viewer(TALL));
  const lookers = [TINY, HUGE].map((size) => viewer(size, { isReadOnly: true }));
  const before = viewersOf(...lookers, viewer(WIDE), viewer(TALL));
  const after = viewersOf(viewer(WIDE), viewer(TALL), ...lookers);
  expect([before.size(policy), after.size(policy)]).toEqual([without.size(policy), without.size(policy)]);
  expect(viewersOf(...lookers).size(policy)).toBeNull();
});

test.each(POLICIES)('[SIZE-1] nobody, or nobody with a size, asks for none with policy %s', (policy) => {
  expect(viewersOf().size(policy)).toBeNull();
  expect(viewersOf(viewer(null)).size(policy)).toBeNull();
});

test('[SIZE-1] latest is of the one who did something last, and of the one before when that one leaves', () => {
  const [wide, tall] = [viewer(WIDE), viewer(TALL)];
  const viewers = viewersOf(wide, tall);
  expect(viewers.touch(wide)).toBe(true);
  expect(viewers.size('latest')).toEqual(WIDE);
  expect(viewers.touch(wide)).toBe(false); // this viewer was already the most recent one: the size does not change
  viewers.remove(wide.watcher);
  expect(viewers.size('latest')).toEqual(TALL);
});

test('[SIZE-4] after a keeper died, the viewer whose size the session has is the last again, in any order of return', () => {
  for (const order of [[0, 1] as const, [1, 0] as const]) {
    const back = [viewer(), viewer()];
    const sizes = [WIDE, TALL];
    const viewers = viewersOf(...order.map((at) => back[at]!));
    for (const at of order) viewers.restore(back[at]!, sizes[at]!, TALL);
    expect(viewers.size('latest')).toEqual(TALL);
    expect(viewers.list.length).toBe(2);
  }
});

test('[ATT-7] the list says who may type; a viewer that left is in it no more', () => {
  const [typist, looker] = [viewer(null, { who: 'ann' }), viewer(null, { who: 'bob', isReadOnly: true })];
  const viewers = viewersOf(typist, looker);
  expect(viewers.list.map(({ who, isReadOnly }) => [who, isReadOnly])).toEqual([
    ['ann', false],
    ['bob', true],
  ]);
  expect(viewers.canType).toBe(true);
  expect([viewers.remove(typist.watcher), viewers.remove(typist.watcher)]).toEqual([true, false]);
  expect([viewers.canType, viewers.of(looker.watcher), viewers.of(typist.watcher)]).toEqual([false, looker, undefined]);
});

test('the session has the focus while any viewer has it', () => {
  const [one, other] = [viewer(), viewer(null, { isFocused: true })];
  const viewers = viewersOf(one, other);
  expect(viewers.hasFocus).toBe(true);
  other.isFocused = false;
  expect(viewers.hasFocus).toBe(false);
});

test('[SIZE-2] sizes are the same by columns and rows alone', () => {
  expect(isSameSize({ ...WIDE, widthPx: 1 }, WIDE)).toBe(true);
  expect([isSameSize(WIDE, TALL), isSameSize(WIDE, null), isSameSize(null, undefined)]).toEqual([false, false, true]);
});
