import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScreenWindow } from './screen-window.ts';

const SESSION = { cols: 200, rows: 50 };
const VIEW = { cols: 80, rows: 23 };

test('[SIZE-6] the window moves only when the cursor comes near its edge, and then no further than needed', () => {
  const window = new ScreenWindow(SESSION, VIEW);
  const places = [
    { row: 0, col: 0 },
    { row: 20, col: 71 },
    { row: 21, col: 72 },
    { row: 20, col: 70 },
    { row: 49, col: 199 },
    { row: 40, col: 150 },
    { row: 28, col: 100 },
    { row: 0, col: 0 },
  ].map((cursor) => {
    window.see(cursor);
    return [window.place.top, window.place.left];
  });
  expect(places).toEqual([
    [0, 0],
    [0, 0],
    [1, 1],
    [1, 1],
    [27, 120],
    [27, 120],
    [26, 92],
    [0, 0],
  ]);
});

test('[SIZE-6] back on a short line, the beginnings of the lines are shown', () => {
  const window = new ScreenWindow(SESSION, VIEW);
  window.see({ row: 0, col: 190 });
  window.see({ row: 1, col: 30 });
  expect(window.place.left).toBe(0);
});

test('[SIZE-6] panned by hand it stays where it is, until it is to follow again', () => {
  const window = new ScreenWindow(SESSION, VIEW);
  window.pan('page-down');
  window.pan('right');
  window.see({ row: 0, col: 0 });
  expect(window.place).toEqual({ top: 22, left: 8 });
  expect(window.isFollowing).toBe(false);
  window.follow();
  window.see({ row: 0, col: 0 });
  expect(window.place).toEqual({ top: 0, left: 0 });
});

test('[SIZE-6] whatever is done, the window is a part of the screen, and shows the cursor unless it was panned', () => {
  const size = fc.record({ cols: fc.integer({ min: 2, max: 60 }), rows: fc.integer({ min: 1, max: 30 }) });
  const act = fc.oneof(
    fc.constantFrom('up', 'down', 'left', 'right', 'page-up', 'page-down', 'home', 'end', 'follow' as const),
    fc.record({ row: fc.nat(29), col: fc.nat(59) }),
    fc.record({ session: size, view: size }),
  );
  fc.assert(
    fc.property(size, size, fc.array(act), (first, firstView, acts) => {
      let session = first;
      let view = firstView;
      const window = new ScreenWindow(session, view);
      for (const done of acts) {
        if (done === 'follow') window.follow();
        else if (typeof done === 'string') window.pan(done);
        else if ('session' in done) {
          ({ session, view } = done);
          window.fit(session, view);
        } else {
          const cursor = { row: Math.min(done.row, session.rows - 1), col: Math.min(done.col, session.cols - 1) };
          window.see(cursor);
          const { top, left } = window.place;
          const isSeen =
            cursor.row >= top && cursor.row < top + view.rows && cursor.col >= left && cursor.col < left + view.cols;
          if (window.isFollowing) expect(isSeen).toBe(true);
        }
        const { top, left } = window.place;
        expect(top).toBeGreaterThanOrEqual(0);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThanOrEqual(Math.max(0, session.rows - view.rows));
        expect(left).toBeLessThanOrEqual(Math.max(0, session.cols - view.cols));
      }
    }),
  );
});
