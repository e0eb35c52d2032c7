import { expect, test } from 'vitest';
import { displayWidth } from '../output/printable.ts';
import { sessionWith } from '../watch/fixture.ts';
import { sessionTable, type TableLook } from './session-table.ts';

const VIEWER = { who: 'cli 1', size: null, isReadOnly: false, since: 0 };
const LOOK: TableLook = {
  now: 61_000,
  width: undefined,
  isColoured: false,
  showsLabels: false,
  folder: ({ cwd }) => cwd,
};

const SESSIONS = [
  sessionWith('aaaaaaaaaa', { offset: 2048, viewers: [VIEWER, VIEWER] }, { state: 'blocked', kind: 'permission' }),
  sessionWith('bbbbbbbbbb', { state: 'failed', exitCode: 3, name: 'evil\x1b[2J' }, { state: 'exited' }),
  sessionWith('cccccccccc', { name: 'n', state: 'stopped', signal: 'SIGHUP' }, { state: 'exited' }),
  sessionWith('dddddddddd', { name: 'n' }, { state: 'working', activity: 'Bash(npm test)\x1b[2J' }),
  sessionWith('eeeeeeeeee', { name: 'n', labels: { team: 'web', mine: '' } }, { state: 'idle', kind: 'prompt' }),
];

test('[LIST-5, STATE-4] where programs read it, every column is there and every cell is whole and not empty', () => {
  expect(sessionTable(SESSIONS, LOOK)).toEqual([
    'ID          NAME        STATE               AGE  OUTPUT  VIEWERS  FOLDER  ACTIVITY             COMMAND',
    'aaaaaaaaaa  aaaaaaaaaa  blocked permission   1m      2k        2  /       -                    sleep 1',
    'bbbbbbbbbb  evil\\e[2J   failed 3             1m       0        -  /       -                    sleep 1',
    'cccccccccc  n           stopped SIGHUP       1m       0        -  /       -                    sleep 1',
    'dddddddddd  n           working              1m       0        -  /       Bash(npm test)\\e[2J  sleep 1',
    'eeeeeeeeee  n           idle prompt          1m       0        -  /       -                    sleep 1',
  ]);
  const long = sessionWith('f', { name: 'x'.repeat(300), command: ['y'.repeat(300)] });
  expect(sessionTable([long], LOOK)[1]).toContain(`${'x'.repeat(300)}  working`);
});

test('[LIST-5] labels have a column on request', () => {
  expect(sessionTable(SESSIONS.slice(4), { ...LOOK, width: 80, showsLabels: true })).toEqual([
    'ID          NAME  STATE        AGE  OUTPUT  LABELS         FOLDER  COMMAND',
    'eeeeeeeeee  n     idle prompt   1m       0  team=web,mine  /       sleep 1',
  ]);
});

test('[LIST-5] on a terminal an empty column is room for the others', () => {
  expect(sessionTable(SESSIONS.slice(2, 3), { ...LOOK, width: 80 })[0]).toBe(
    'ID          NAME  STATE           AGE  OUTPUT  FOLDER  COMMAND',
  );
});

test.each([
  [110, 'aaaaaaaaaa  aaaaaaaaaa  blocked permission   1m      2k        2  /                            sleep 1'],
  [80, 'aaaaaaaaaa  aaaaaaaaaa  blocked permission   1m      2k  sleep 1'],
  [60, 'aaaaaaaaaa  blocked permission   1m  sleep 1'],
  [50, 'aaaaaaaaaa  blocked    1m      2k  sleep 1'],
  [40, 'aaaaaaaaaa  blocked    1m  sleep 1'],
  [20, 'aaaaaaaaaa  blocked'],
  [12, 'aaaaaaaaaa'],
])('[LIST-5] in %s columns: what it does, or else its command, rather than a bit of both', (width, line) => {
  expect(sessionTable(SESSIONS, { ...LOOK, width })[1]).toBe(line);
});

test('[LIST-8] a row says which session it is: by its folder, and by its id where two have one name', () => {
  const sessions = [
    sessionWith('aaaaaaaaaa', { name: 'api', cwd: '/src/shop' }),
    sessionWith('bbbbbbbbbb', { name: 'api', state: 'exited', cwd: '/src/blog', startedAt: 50_000 }),
    sessionWith('cccccccccc', { name: 'test', state: 'exited', cwd: '/src/blog', startedAt: 50_000 }),
    sessionWith('dddddddddd', { name: 'test', state: 'exited', cwd: '/src/blog', startedAt: 20_000 }),
  ];
  const folder: TableLook['folder'] = ({ cwd }, isShort) => (isShort ? cwd.replace(/.*\//, '') : `${cwd} (main)`);
  expect(sessionTable(sessions, { ...LOOK, folder, width: 120 })[1]).toContain('  /src/shop (main)  sleep 1');
  expect(sessionTable(sessions, { ...LOOK, folder, width: 60 }).slice(1)).toEqual([
    'api         working   1m       0  shop    sleep 1',
    'bbbbbbbbbb  exited   11s       0  blog    sleep 1',
    'test        exited   11s       0  blog    sleep 1',
    'dddddddddd  exited   41s       0  blog    sleep 1',
  ]);
});

test('[LIST-8] an agent without a terminal is its first prompt, and its last words', () => {
  const driver = { name: 'claude', state: 'running', firstOffset: 0, offset: 0 } as const;
  const command = ['claude', '--output-format', 'stream-json'];
  const lines = sessionTable(
    [
      sessionWith(
        'aaaaaaaaaa',
        { driver: { ...driver, prompt: 'fix the tests' }, command, size: null },
        { said: 'All tests pass.' },
      ),
      sessionWith('bbbbbbbbbb', { driver, command, size: null }),
    ],
    { ...LOOK, width: 120 },
  );
  expect(lines[1]).toMatch(/All tests pass\.  claude: fix the tests$/);
  expect(lines[2]).toMatch(/ claude$/);
});

test('[TASK-2] a session that was ended by its own limit of time reads `timed out`, also in a narrow table', () => {
  const session = sessionWith('aaaaaaaaaa', { state: 'stopped', signal: 'SIGTERM', endedBy: 'timeout' });
  for (const width of [120, 40]) expect(sessionTable([session], { ...LOOK, width })[1]).toContain('  timed out ');
});

test('looks say what is urgent, working, over and wrong', () => {
  const looks = sessionTable(SESSIONS, { ...LOOK, isColoured: true }).map(
    (line) => /^\x1b\[([\d;]+)m.*\x1b\[m$/.exec(line)?.[1],
  );
  expect(looks).toEqual(['1', '1;33', '31', '2', '32', undefined]);
});

const HOSTILE = [
  '\x1b[2J\x1b]0;evil\x07\r\n\x9b31m',
  '漢字'.repeat(300),
  'e\u0301'.repeat(3000),
  '\u202eleft\u2066',
  '👩‍👩‍👧‍👦'.repeat(50),
];

test.each([200, 80, 40, 20, 9, 3, 1])(
  '[LIST-5] in %s columns no line is wider, whatever the sessions are called',
  (width) => {
    const sessions = HOSTILE.map((text, at) =>
      sessionWith(`s${at}`, { name: text, title: text, command: [text], labels: { [text]: text } }, { kind: text }),
    );
    const lines = sessionTable(sessions, { ...LOOK, width, showsLabels: true });
    expect(lines).toHaveLength(sessions.length + 1);
    for (const line of lines) {
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2066]/);
    }
  },
);
