/** The sets of recordings: programs, versions, sizes and terminals, and the scenes of each. */
import type { RecordRunOptions } from './agent-run.ts';
import {
  type DialogAnswer,
  count,
  draft,
  hold,
  interruptAnswer,
  interruptJob,
  job,
  jobs,
  list,
  longLine,
  mention,
  nothing,
  pasted,
  ponder,
  queued,
  quiet,
  quote,
  recalled,
  refused,
  refusedWith,
  regretted,
  resized,
  resizedInWork,
  resumed,
  retried,
  say,
  type Scene,
  slashMenu,
  startup,
  stream,
  think,
  typed,
  write,
} from './scenes.ts';

const yes = (way: number): DialogAnswer => ({ says: 'yes', way });
const no = (way: number): DialogAnswer => ({ says: 'no', way });

interface RecordingPlan extends RecordRunOptions {
  readonly scenes: readonly Scene[];
}

export type RecordingSet = Readonly<Record<string, RecordingPlan>>;

const SMALL = { cols: 40, rows: 15 };
const LARGE = { cols: 200, rows: 50 };

/** A status bar of three lines. */
const STATUS_BAR = {
  '.claude/settings.json': JSON.stringify({
    statusLine: { type: 'command', command: "printf 'main\\n3 files changed\\n12 % of the context'" },
  }),
};
/** Versions that do not know the other arguments of the tests. */
const OLDER_CODEX = ['--disable', 'apps'];

const onSmall = (more: readonly Scene[], denied = 0): readonly Scene[] => [
  startup,
  longLine,
  say('good morning'),
  job('birch', 3, yes(1)),
  hold('maple'),
  ...more,
  job('cedar', 3, no(denied)),
  quote,
  interruptAnswer('willow'),
  refused,
];

const onLarge = (more: readonly Scene[]): readonly Scene[] => [
  startup,
  draft,
  stream(4),
  jobs('north', 'south', true, yes(0)),
  write('plan.txt', yes(0)),
  resizedInWork('delay', 120, 40),
  ...more,
  slashMenu,
  interruptJob('endless', yes(2)),
  say('the last word'),
];

const onOther = (more: readonly Scene[]): readonly Scene[] => [
  startup,
  hold('later', { drafts: true }),
  job('amber', 4, yes(2), { resize: [76, 22] }),
  write('notes-2.md', no(1)),
  jobs('one', 'two', false, yes(1)),
  quote,
  ...more,
  job('coral', 3, no(2)),
  stream(3),
  quiet,
];

/** All five programs on a small, a large and another screen; other versions than the pinned ones where npm has them. */
const first: RecordingSet = {
  'claude-p1': { agent: 'claude', version: '2.1.326', ...SMALL, terminal: 'kitty', scenes: onSmall([]) },
  'claude-p2': {
    agent: 'claude',
    version: '2.1.300',
    ...LARGE,
    terminal: 'ghostty',
    settings: STATUS_BAR,
    scenes: onLarge([retried]),
  },
  'claude-p3': {
    agent: 'claude',
    cols: 90,
    rows: 28,
    terminal: 'silent',
    firstMs: 600,
    scenes: onOther([resized(110, 32)]),
  },
  'codex-p1': { agent: 'codex', version: '0.169.0', ...SMALL, scenes: onSmall([]) },
  'codex-p2': {
    agent: 'codex',
    version: '0.155.0',
    instead: OLDER_CODEX,
    ...LARGE,
    terminal: 'vscode',
    scenes: onLarge([]),
  },
  'codex-p3': { agent: 'codex', cols: 72, rows: 26, arguments: ['--no-alt-screen'], firstMs: 400, scenes: onOther([]) },
  'gemini-p1': { agent: 'gemini', ...SMALL, scenes: onSmall([]) },
  'gemini-p2': { agent: 'gemini', version: '0.57.0', ...LARGE, terminal: 'kitty', scenes: onLarge([]) },
  'gemini-p3': {
    agent: 'gemini',
    version: '0.54.4',
    cols: 110,
    rows: 35,
    firstMs: 500,
    scenes: onOther([resized(84, 25)]),
  },
  'grok-p1': { agent: 'grok', ...SMALL, scenes: onSmall([], 1) },
  'grok-p2': { agent: 'grok', ...LARGE, terminal: 'ghostty', scenes: onLarge([]) },
  'grok-p3': { agent: 'grok', version: '0.1.220', cols: 80, rows: 24, firstMs: 300, scenes: onOther([]) },
  'opencode-p1': { agent: 'opencode', version: '1.18.34', ...SMALL, scenes: onSmall([]) },
  'opencode-p2': { agent: 'opencode', version: '1.15.13', ...LARGE, terminal: 'vscode', scenes: onLarge([]) },
  'opencode-p3': { agent: 'opencode', cols: 96, rows: 27, firstMs: 300, scenes: onOther([resized(120, 36)]) },
};

const talk = (more: readonly Scene[], change: Scene = write('summary.md', yes(0))): readonly Scene[] => [
  startup,
  say('what the time is'),
  job('lemon', 3, yes(0)),
  longLine,
  change,
  interruptAnswer('never'),
  ...more,
  hold('pause', { drafts: true }),
  quote,
];

const errands = (more: readonly Scene[], second: Scene = slashMenu, denied = 1): readonly Scene[] => [
  startup,
  second,
  jobs('left', 'right', false, yes(0)),
  job('olive', 3, no(denied)),
  stream(5),
  ...more,
  draft,
  write('draft.md', no(0)),
  say('goodbye'),
  quiet,
];

/** The set after the mistakes of the first one were mended: other scenes, sizes and versions. */
const second: RecordingSet = {
  'claude-q1': {
    agent: 'claude',
    version: '2.1.265',
    cols: 60,
    rows: 20,
    terminal: 'vscode',
    firstMs: 200,
    scenes: talk([refused], jobs('lime', 'plum', true, yes(1))),
  },
  'claude-q2': {
    agent: 'claude',
    version: '2.1.326',
    cols: 150,
    rows: 45,
    settings: STATUS_BAR,
    scenes: errands([resized(100, 30)]),
  },
  'claude-q3': { agent: 'claude', version: '2.1.300', ...SMALL, scenes: errands([]) },
  'codex-q1': { agent: 'codex', version: '0.160.1', cols: 60, rows: 20, scenes: talk([refused]) },
  'codex-q2': {
    agent: 'codex',
    version: '0.169.0',
    cols: 150,
    rows: 45,
    terminal: 'ghostty',
    firstMs: 300,
    scenes: errands([]),
  },
  'codex-q3': { agent: 'codex', ...LARGE, terminal: 'silent', scenes: talk([resizedInWork('size', 90, 30)]) },
  'gemini-q1': { agent: 'gemini', version: '0.57.0', cols: 70, rows: 22, firstMs: 200, scenes: talk([refused]) },
  'gemini-q2': {
    agent: 'gemini',
    cols: 150,
    rows: 45,
    terminal: 'vscode',
    scenes: errands([resized(100, 30)], longLine),
  },
  'grok-q1': { agent: 'grok', cols: 70, rows: 24, firstMs: 200, scenes: talk([refused]) },
  'grok-q2': { agent: 'grok', cols: 150, rows: 45, terminal: 'kitty', scenes: errands([], slashMenu, 0) },
  'opencode-q1': { agent: 'opencode', version: '1.18.20', cols: 70, rows: 24, firstMs: 200, scenes: talk([]) },
  'opencode-q2': { agent: 'opencode', version: '1.15.13', cols: 150, rows: 45, terminal: 'kitty', scenes: errands([]) },
};

const LETTER = [
  'Dear model,',
  '',
  '| file | state |',
  '| a.ts | Working… (12s) |',
  'Allow once, allow always or reject? [y/N]',
  '> a line that looks like a prompt',
].join('\n');
const QUESTION =
  'should we (1) wait, (2) proceed or (3) cancel? press enter to confirm or esc to go back, said the old manual';

const walk = (together: boolean, way: number, last: Scene): readonly Scene[] => [
  startup,
  job('quince', 4, yes(2), { waits: true }),
  list,
  typed(QUESTION),
  write('letter.txt', no(0)),
  think,
  jobs('ash', 'elm', together, yes(way)),
  hold('harbour', { drafts: true }),
  last,
  interruptJob('river', yes(0)),
  say('the moon is full'),
];

const yard = (denied: number, way: number, more: Scene): readonly Scene[] => [
  startup,
  stream(3),
  job('fig', 3, no(denied), { resize: [96, 33] }),
  pasted(LETTER),
  interruptAnswer('mist'),
  write('report.md', yes(way)),
  more,
  refused,
  slashMenu,
  job('pear', 3, yes(1), { tail: ' && echo and that was all of it' }),
  job('sloe', 2, no(0)),
  quote,
  quiet,
];

/** The set after the mistakes of the second one were examined: other scenes, texts, sizes and versions. */
const third: RecordingSet = {
  'claude-r1': { agent: 'claude', version: '2.1.315', cols: 72, rows: 22, scenes: walk(true, 0, resized(80, 20)) },
  'claude-r2': {
    agent: 'claude',
    version: '2.1.290',
    cols: 140,
    rows: 45,
    terminal: 'ghostty',
    firstMs: 350,
    settings: {
      '.claude/settings.json': JSON.stringify({ statusLine: { type: 'command', command: "printf 'a quiet branch'" } }),
    },
    scenes: yard(2, 1, retried),
  },
  'codex-r1': {
    agent: 'codex',
    version: '0.164.0',
    cols: 54,
    rows: 30,
    terminal: 'kitty',
    firstMs: 250,
    scenes: walk(false, 1, slashMenu),
  },
  'codex-r2': {
    agent: 'codex',
    version: '0.162.1',
    cols: 100,
    rows: 35,
    arguments: ['--no-alt-screen'],
    scenes: yard(1, 2, resized(88, 24)),
  },
  'gemini-r1': { agent: 'gemini', version: '0.59.0', cols: 100, rows: 35, firstMs: 150, scenes: walk(true, 0, quote) },
  'gemini-r2': {
    agent: 'gemini',
    version: '0.55.1',
    cols: 72,
    rows: 32,
    terminal: 'ghostty',
    scenes: yard(1, 1, resizedInWork('tide', 120, 40)),
  },
  'grok-r1': { agent: 'grok', version: '1.0.5', cols: 76, rows: 30, scenes: walk(false, 0, slashMenu) },
  'grok-r2': {
    agent: 'grok',
    cols: 140,
    rows: 45,
    terminal: 'kitty',
    firstMs: 400,
    scenes: yard(0, 0, resized(120, 30)),
  },
  'opencode-r1': {
    agent: 'opencode',
    version: '1.18.28',
    cols: 54,
    rows: 30,
    firstMs: 150,
    scenes: walk(false, 1, resized(72, 22)),
  },
  'opencode-r2': {
    agent: 'opencode',
    version: '1.17.19',
    cols: 140,
    rows: 45,
    terminal: 'ghostty',
    scenes: yard(2, 0, resizedInWork('tide', 100, 35)),
  },
};

const RECIPE = [
  'Bread, for the weekend:',
  '1. Yes, mix flour and water',
  '2. No, do not knead yet',
  '',
  '✻ Resting… (40m · esc to interrupt)',
  '   > bake at 230 degrees',
].join('\n');
const REMARK =
  'the build says "press enter to continue (y/N)" and then hangs; is that [stop] or Ctrl+c:cancel, or am I to wait 30s?';

const LAST: Readonly<Record<string, readonly string[]>> = {
  claude: ['--continue'],
  codex: ['resume', '--last'],
  gemini: ['--resume', 'latest'],
  grok: ['--continue'],
  opencode: ['--continue'],
};
/**
 * Scenes that resume an older session. Gemini tries again after some errors, so that the script would not know when it stops;
 * OpenCode does not answer the prompt after an error.
 */
const voyage = (denied: number, allowed: number, isAtOnce: boolean, failure: Scene): readonly Scene[] => [
  resumed,
  recalled(', but slowly'),
  job('tern', 4, yes(allowed), { tail: ' && echo the boat is back in the port by now' }),
  ponder(6),
  mention('compare it with'),
  write('logbook.txt', no(denied)),
  queued('anchor', 'land ahoy'),
  failure,
  jobs('port', 'starboard', isAtOnce, yes(0)),
  count(35),
  regretted('storm'),
  interruptJob('gull', yes(allowed)),
  say('we have arrived'),
];

const kitchen = (denied: number, allowed: number, more: readonly Scene[]): readonly Scene[] => [
  startup,
  nothing,
  typed(REMARK),
  stream(4),
  job('onion', 3, no(denied), { waits: true }),
  pasted(RECIPE),
  hold('oven', { drafts: true }),
  recalled(' with salt'),
  ...more,
  write('menu.md', yes(allowed)),
  regretted('smoke'),
  quote,
  job('garlic', 3, yes(0)),
  list,
  slashMenu,
  refused,
  quiet,
];

/** The set after the mistakes of the third one were mended: resumed sessions, long thoughts, recalled and queued prompts. */
const fourth: RecordingSet = {
  'claude-s1': {
    agent: 'claude',
    version: '2.1.322',
    cols: 110,
    rows: 28,
    terminal: 'kitty',
    resumes: LAST['claude']!,
    scenes: voyage(1, 0, true, refusedWith(404)),
  },
  'claude-s2': {
    agent: 'claude',
    version: '2.1.275',
    ...SMALL,
    firstMs: 250,
    scenes: kitchen(1, 2, [resized(52, 18)]),
  },
  'claude-s3': {
    agent: 'claude',
    version: '2.1.308',
    ...LARGE,
    terminal: 'silent',
    scenes: kitchen(2, 1, [ponder(5), resizedInWork('broth', 100, 24)]),
  },
  'codex-s1': {
    agent: 'codex',
    version: '0.165.0',
    cols: 64,
    rows: 40,
    resumes: LAST['codex']!,
    firstMs: 200,
    scenes: voyage(0, 1, false, refusedWith(404)),
  },
  'codex-s2': {
    agent: 'codex',
    version: '0.158.0',
    cols: 132,
    rows: 24,
    terminal: 'ghostty',
    scenes: kitchen(2, 2, [ponder(4), resized(96, 40)]),
  },
  'codex-s3': { agent: 'codex', ...SMALL, scenes: kitchen(1, 0, [count(20)]) },
  'gemini-s1': {
    agent: 'gemini',
    version: '0.60.0',
    cols: 84,
    rows: 50,
    resumes: LAST['gemini']!,
    firstMs: 100,
    scenes: voyage(1, 1, true, refused),
  },
  'gemini-s2': {
    agent: 'gemini',
    version: '0.56.0',
    cols: 48,
    rows: 18,
    scenes: kitchen(0, 2, [resizedInWork('broth', 66, 26)]),
  },
  'grok-s1': {
    agent: 'grok',
    version: '1.0.5',
    cols: 120,
    rows: 38,
    terminal: 'kitty',
    resumes: LAST['grok']!,
    scenes: voyage(2, 2, false, refusedWith(404)),
  },
  'grok-s2': { agent: 'grok', cols: 58, rows: 21, firstMs: 300, scenes: kitchen(1, 0, [ponder(5), resized(80, 30)]) },
  'opencode-s1': {
    agent: 'opencode',
    version: '1.18.24',
    cols: 92,
    rows: 36,
    resumes: LAST['opencode']!,
    firstMs: 150,
    scenes: voyage(1, 1, false, slashMenu),
  },
  'opencode-s2': {
    agent: 'opencode',
    version: '1.17.9',
    ...LARGE,
    terminal: 'kitty',
    scenes: kitchen(2, 0, [ponder(4), resizedInWork('broth', 120, 30)]),
  },
};

const harbour = (denied: number, allowed: number, resize: readonly [number, number]): readonly Scene[] => [
  startup,
  job('cod', 3, yes(0), { tail: ' && echo the nets are in, the deck is clean and the lamps are lit for the night' }),
  say('the wind is rising'),
  write('ropes.txt', yes(allowed)),
  jobs('bow', 'stern', false, yes(0)),
  job('eel', 2, no(denied)),
  ponder(3),
  write('sails.md', no(denied)),
  job('crab', 3, yes(allowed), { resize }),
  interruptJob('tide', yes(0)),
  recalled(' tomorrow'),
  regretted('fog'),
  job('ray', 2, no(denied), { waits: true }),
  count(20),
  quiet,
];

/** The set after the words of dialogs in small windows were mended: mostly dialogs. */
const fifth: RecordingSet = {
  'claude-u1': { agent: 'claude', cols: 46, rows: 16, terminal: 'ghostty', scenes: harbour(1, 2, [60, 14]) },
  'claude-u2': {
    agent: 'claude',
    version: '2.1.308',
    cols: 100,
    rows: 15,
    firstMs: 200,
    scenes: harbour(2, 1, [40, 30]),
  },
  'codex-u1': {
    agent: 'codex',
    version: '0.152.1',
    instead: OLDER_CODEX,
    cols: 70,
    rows: 18,
    scenes: harbour(1, 1, [44, 22]),
  },
  'codex-u2': {
    agent: 'codex',
    version: '0.165.0',
    cols: 180,
    rows: 48,
    firstMs: 150,
    scenes: harbour(0, 2, [50, 16]),
  },
  'gemini-u1': { agent: 'gemini', cols: 54, rows: 24, scenes: harbour(1, 2, [90, 20]) },
  'grok-u1': { agent: 'grok', cols: 98, rows: 32, scenes: harbour(0, 0, [70, 28]) },
  'opencode-u1': { agent: 'opencode', version: '1.18.10', cols: 66, rows: 20, scenes: harbour(1, 1, [100, 16]) },
};

export const SETS: Readonly<Record<string, RecordingSet>> = { first, second, third, fourth, fifth };
