import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Log } from '@spool/store';
import { encodeKeyframe, ScreenModel } from '@spool/screen';
import { expect, onTestFinished, test } from 'vitest';
import { StatusTracker } from '../insight/status-tracker.ts';
import { type CpuClock, REPLAY_MS_MAX } from './drawing-cost.ts';
import { COSTLY_FLOOD_KEYFRAME_EVERY_BYTES, FLOOD_KEYFRAME_EVERY_BYTES, KEYFRAME_APART_BYTES } from './keyframes.ts';
import type { TerminalSource } from '../messages.ts';
import { RuleFiles } from './rule-files.ts';
import { ScreenFollower } from './screen-follower.ts';
import { LIVE_SCROLLBACK_LINES } from './timeline.ts';

const MIB = 1024 * 1024;

function followed(cpuMs: CpuClock = () => 0): {
  follower: ScreenFollower;
  log: Log;
  say: (text: string) => void;
  answers: string[];
} {
  const answers: string[] = [];
  const folder = mkdtempSync(`${tmpdir()}/spool-follower-`);
  mkdirSync(`${folder}/log`);
  const log = Log.open(`${folder}/log`);
  const firstSize = { cols: 80, rows: 10 };
  const source: TerminalSource = {
    id: 'a',
    folder,
    firstSize,
    pid: process.pid,
    command: ['x'],
    startedAt: 0,
    isAdopted: false,
  };
  const files = new RuleFiles(`${folder}/config`, () => {});
  const follower: ScreenFollower = new ScreenFollower(
    source,
    0,
    0,
    {
      onAnswers: (bytes) => answers.push(Buffer.from(bytes).toString()),
      onFocusMode() {},
      beginTracking: (from) =>
        new StatusTracker(
          source,
          from,
          files,
          { onStatus() {}, onMilestone() {}, onCommand() {}, onOscEvent() {}, view: () => null },
          null,
        ),
    },
    cpuMs,
  );
  onTestFinished(() => {
    follower.close();
    log.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const say = (text: string): void => {
    log.append(Buffer.from(text), Date.now());
    follower.grown(log.end, Date.now());
    while (follower.isBehind) follower.turn();
  };
  return { follower, log, say, answers };
}

test('[SCR-2] a flood that is passed over has keyframes all the same, thin ones', { timeout: 60_000 }, () => {
  const { follower, log, say } = followed();
  say('y\r\n'.repeat((4 * FLOOD_KEYFRAME_EVERY_BYTES) / 3));
  const offsets = [...follower.keyframes.before(Infinity).reverse(), log.end];
  const gaps = offsets.map((offset, at) => offset - (offsets[at - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(FLOOD_KEYFRAME_EVERY_BYTES + 2 * MIB);
  expect(offsets.length).toBeLessThan(8);
});

/** Returns a clock for which each step of drawing takes this long. */
function steps(ms: number): CpuClock {
  let calls = 0;
  return () => Math.floor(++calls / 2) * ms;
}

const gapsOf = (follower: ScreenFollower): number[] => {
  const offsets = follower.keyframes.before(Infinity).reverse();
  return offsets.map((offset, at) => offset - (offsets[at - 1] ?? 0));
};

test('[SCR-8] a flood that is passed over has closer keyframes if it is costly to draw, and never so many that it is not passed over', () => {
  const { follower, say } = followed(steps(10));
  const line = `\x1b[?7h${'y'.repeat(56)}\r\n`;
  say(line.repeat(2000));
  say(line.repeat((1.25 * FLOOD_KEYFRAME_EVERY_BYTES) / line.length));
  expect(gapsOf(follower).length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...gapsOf(follower))).toBeLessThanOrEqual(COSTLY_FLOOD_KEYFRAME_EVERY_BYTES + 2 * MIB);
});

test('[SCR-8] output that comes bit by bit and is costly to draw has a keyframe for each half second of it', () => {
  const { follower, say } = followed(steps(20));
  const pieces = 200;
  for (let n = 0; n < pieces; n++) say(`\x1b[2Jline ${n}\r\n`);
  const count = gapsOf(follower).length;
  expect(count).toBeGreaterThanOrEqual(Math.floor((pieces * 20) / REPLAY_MS_MAX) - 1);
  expect(count).toBeLessThanOrEqual(Math.ceil((2 * pieces * 20) / REPLAY_MS_MAX));
});

test('[SCR-7] a flood is drawn as far as it is still seen: the same cells, cursor and lines above as if all had been drawn', () => {
  const { follower, say } = followed();
  using drawn = new ScreenModel({ cols: 80, rows: 10 }, { scrollback: LIVE_SCROLLBACK_LINES });
  const both = (text: string): void => {
    say(text);
    drawn.write(Buffer.from(text));
    expect(picture(follower.moment().model)).toBe(picture(drawn));
  };
  const picture = (model: ScreenModel): string =>
    Buffer.from(encodeKeyframe(model, { history: LIVE_SCROLLBACK_LINES })).toString('latin1');
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, n) => `\x1b[3${n % 8}mline ${n}\x1b[0m of a build`).join('\r\n');
  both(lines(20_000));
  both(`\r\n${'y\r\n'.repeat(100_000)}$ `);
  both(
    `${'x'.repeat(200)}\x1b[4;7r\x1b[4;1H${lines(3000)}\x1b[r\x1b[2J${lines(3000)}\x1b[31m\r\n漢字${'é\r\n'.repeat(9000)}`,
  );
});

test('[SCR-7] a query within a flood is answered with the cursor of its byte', () => {
  const { follower, say, answers } = followed();
  say(`${'y\r\n'.repeat(30_000)}prompt\x1b[6n${'\r\nn'.repeat(30_000)}`);
  expect(answers.join('')).toBe('\x1b[10;7R');
  expect(follower.moment().model.text()[9]).toBe('n');
});

test('[SCR-2] a model that is dropped and made again after each line writes no keyframe', () => {
  const { follower, say } = followed();
  for (let n = 0; n < 50; n++) {
    say(`line ${n}\r\n`);
    follower.drop();
  }
  expect(follower.keyframes.last).toBeUndefined();
  expect(follower.moment().model.text()[8]).toBe('line 49');
  say('x'.repeat(KEYFRAME_APART_BYTES));
  follower.drop();
  expect(follower.keyframes.last).toBe(follower.offset);
});

test('[SCR-3] a followed model keeps a hundred lines above its screen, and knows that there were more', () => {
  const { follower, say } = followed();
  say('line\r\n'.repeat(50));
  expect(follower.lacksHistory(1000)).toBe(false);
  say('line\r\n'.repeat(5000));
  expect(follower.moment().model.historyLength).toBe(LIVE_SCROLLBACK_LINES);
  expect([follower.lacksHistory(100), follower.lacksHistory(101)]).toEqual([false, true]);
  expect(follower.modelBytes).toBeLessThan(MIB);
});
