import { describe, expect, test } from 'vitest';
import { ReducerFixture } from '../testing/session.ts';

const RULE = '─'.repeat(60);
const LINE = '▄'.repeat(60);
const CODEX = (draft: string): string =>
  `• Hello.\n\n  Worked for 5s\n\n${draft}\n\n  fake-model · ~/project\n  ? for shortcuts`;
const GEMINI = (draft: string): string =>
  `✦ Hello.\n${LINE}\n${draft}\n${'▀'.repeat(60)}\n ~/project   no sandbox   Auto`;
const GROK = (draft: string): string => `  Hello.\n  ╭${RULE}╮\n${draft}\n  ╰${RULE}╯\n  Ctrl+x:shortcuts`;
const CLAUDE = (above: string, footer = '  ? for shortcuts'): string =>
  `● Hello.\n\n${above}\n${RULE}\n❯ █\n${RULE}\n${footer}`;

describe('[STATE-1] a draft of several lines is idle, wherever the cursor is', () => {
  test.each([
    ['codex', CODEX('› first line\n  second line\n\n  the last█')],
    ['codex', CODEX('› first█ line\n  second line')],
    ['gemini', GEMINI(' > first line\n   second line\n   third█')],
    ['grok', GROK('  │ ❯ first line                 │\n  │   second█                     │')],
    ['claude', `${RULE}\n❯ first line\n  second line\n  third█\n${RULE}\n  ? for shortcuts`],
    ['claude', `─── History 1/2 ${RULE}\n❯ an older prompt█\n${RULE}\n  ? for shortcuts`],
    ['gemini', `${RULE}\n Shift+Tab to accept edits\n\n > first line\n\n   third█\n\n ~/project   no sandbox`],
  ])('%s', (agent, screen) => {
    const session = new ReducerFixture(agent).shows(screen).wait(2000);
    expect(session.is).toBe('idle (prompt)');
    expect(session.reducer.status.source).toBe('screen');
  });
});

describe('[STATE-1] a box that is always visible is idle only when nothing beside it moves', () => {
  const turning = (frame: number): string => CLAUDE(`${'◰◳◲◱'[frame % 4]} Pondering for ${frame} seconds`);

  test('an unknown spinner above it is work, from its third turn on', () => {
    const session = new ReducerFixture('claude').shows(CLAUDE('')).wait(2000);
    expect(session.is).toBe('idle (prompt)');
    for (let frame = 0; frame < 12; frame++) {
      session.shows(turning(frame)).wait(200);
      if (frame > 2) expect(session.is).toBe('working');
    }
    expect(session.shows(CLAUDE('')).wait(2000).is).toBe('idle (prompt)');
  });

  test('a clock in the status bar below it is not work, and neither is one notice', () => {
    const session = new ReducerFixture('claude').shows(CLAUDE('')).wait(2000);
    for (let second = 0; second < 5; second++)
      expect(session.shows(CLAUDE('', `  12:00:0${second}`)).wait(1000).is).toBe('idle (prompt)');
    expect(session.shows(CLAUDE('  A new version is there', '  12:00:05')).wait(100).is).toBe('idle (prompt)');
  });

  test('typing a draft that grows is not work', () => {
    const session = new ReducerFixture('claude').shows(CLAUDE('')).wait(2000);
    for (let line = 1; line < 5; line++) {
      session.types().shows(`● Hello.\n${RULE}\n❯ one\n${'  more\n'.repeat(line)}${RULE}\n  ? for shortcuts`);
      expect(session.wait(150).is).toBe('idle (prompt)');
    }
  });
});

test('[STATE-1] a spinner that ends in blanks is work, also above a status bar of six lines', () => {
  const bar = Array.from({ length: 6 }, (_, at) => `  status ${at}`).join('\n');
  const session = new ReducerFixture('claude').shows(CLAUDE('✶ Fermenting…      ', bar)).wait(3000);
  expect(session.is).toBe('working');
});

describe('[STATE-1] words of an answer are not a dialog and not work', () => {
  test.each([
    [
      'claude',
      CLAUDE(
        '  Do you want to proceed?\n   ❯ 1. Yes\n     2. No\n\n   Esc to cancel · Tab to amend\n  (esc to interrupt)',
      ),
    ],
    [
      'codex',
      '  Would you like to run the following command?\n\n    $ rm x\n\n  › 1. Yes, proceed (y)\n    2. No (esc)\n    Press enter to confirm or esc to cancel\n  try (3s • esc to interrupt), and more\n\n  Worked for 1s\n\n› █\n\n  ? for shortcuts',
    ],
    [
      'gemini',
      GEMINI(' >   █').replace(
        'Hello.',
        'Hello.\n   ● 1. Allow once\n   2. No, suggest changes (esc)\n  (esc to cancel, 3s), it says',
      ),
    ],
    ['grok', GROK('  │ ❯ █       │').replace('Hello.', '1 (●) Yes\n  2 (○) No\n  press [stop] to end')],
    [
      'opencode',
      '     △ Permission required\n     Allow once   Allow always   Reject\n     (3s • esc to interrupt)\n\n  ┃\n  ┃  █\n  ┃\n  ┃  Build · fake\n  ╹▀▀▀▀▀\n   ~/project   ctrl+p commands',
    ],
  ])('%s', (agent, screen) => {
    expect(new ReducerFixture(agent).shows(screen).wait(3000).is).toBe('idle (prompt)');
  });
});

test('[STATE-1] hints are the same in capital letters', () => {
  expect(new ReducerFixture('claude').shows(CLAUDE('', '  ESC TO INTERRUPT')).wait(3000).is).toBe('working');
  const opencode = '  ┃\n  ┃  █\n  ┃\n  ╹▀▀▀▀▀\n   Esc interrupt    ctrl+p commands';
  expect(new ReducerFixture('opencode').shows(opencode).wait(3000).is).toBe('working');
});

test('[STATE-1] the box that comes back after an answer is not idle at once', () => {
  const dialog = `  Would you like to run the following command?\n\n  $ make\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel`;
  const session = new ReducerFixture('codex').shows(dialog).wait(3000).types().wait(50);
  session.shows('• Busy with it\n\n› █\n\n  ? for help').wait(500);
  expect(session.is).toBe('working');
});
