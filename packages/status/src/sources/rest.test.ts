/** Tests when a prompt that is always visible counts as idle: earlier content decides how long it must be unchanged. */
import { describe, expect, test } from 'vitest';
import { ReducerFixture } from '../testing/session.ts';
import { InputDraft, endsWithEnter } from './draft.ts';

const RULE = '─'.repeat(60);
const screen = (above: string, draft = '█', footer = '  ? for shortcuts'): string =>
  `● Hello.\n\n${above}\n${RULE}\n❯ ${draft}\n${RULE}\n${footer}`;
const SPINNER = '✶ Fermenting… (3s)';
const idle = (): ReducerFixture => new ReducerFixture('claude').shows(screen('')).wait(2000);

describe('[STATE-22] the end of work that is seen', () => {
  test('a spinner that is gone makes a prompt idle at once, and one that was never there does not', () => {
    const worked = idle().types().shows(screen(SPINNER)).wait(1000);
    expect(worked.is).toBe('working');
    expect(worked.shows(screen('● Done.')).wait(200).is).toBe('working');
    expect(worked.wait(100).is).toBe('idle (prompt)');
    const started = new ReducerFixture('claude')
      .shows('Loading the settings of this folder')
      .wait(1000)
      .shows(screen(''));
    expect(started.wait(400).is).not.toBe('idle (prompt)');
    expect(started.wait(400).is).toBe('idle (prompt)');
  });

  test('after a dialog the prompt alone is not idle at once: what was allowed begins', () => {
    const dialog = '● Bash(make)\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend';
    const session = idle().types().shows(screen(SPINNER)).wait(1000).shows(dialog).wait(1000);
    expect(session.is).toBe('blocked (permission)');
    expect(session.types().shows(screen('● Bash(make)')).wait(500).is).toBe('working');
    expect(session.wait(300).is).toBe('idle (prompt)');
  });

  test('the last frames of the work are not motion: a draft that is begun soon after is not work', () => {
    const session = idle().types();
    for (let frame = 0; frame < 6; frame++) session.shows(screen(`✶ Fermenting… (${frame}s)`)).wait(200);
    session.shows(screen('● Done.')).wait(400);
    for (const draft of ['a█', 'an█', 'and█'])
      expect(session.types().shows(screen('● Done.', draft)).wait(60).is).toBe('idle (prompt)');
  });

  test('an animated picture made of blocks is not work', () => {
    const session = idle();
    for (const picture of ['▐▛███▛█', ' ▜██████▘', '·▜██████·', ' ▐██', '   ███▌', '▐▂███▂█'])
      expect(session.shows(screen(`${picture.padEnd(12)}Claude Code`)).wait(120).is).toBe('idle (prompt)');
  });
});

describe('[STATE-44] a draft that was sent', () => {
  const sent = (): ReducerFixture => {
    const session = idle().types().shows(screen('', 'fix the tests█')).wait(1000);
    session.reducer.typed(session.now, true);
    return session.wait(50).shows(screen(''));
  };

  test('is awaited: an empty box is not idle before something has come of it, or has not for a while', () => {
    const session = sent();
    expect(session.is).toBe('working');
    expect(session.wait(1500).is).toBe('working');
    expect(session.wait(400).is).toBe('idle (prompt)');
  });

  test('is not awaited any more once work was seen', () => {
    const session = sent().wait(500).shows(screen(SPINNER)).wait(300).shows(screen('● Done.'));
    expect(session.wait(300).is).toBe('idle (prompt)');
  });

  test.each([
    ['a draft that is cleared by other keys', false, 'fix the tests█', '█'],
    ['a new line in the draft', true, 'fix the tests█', 'fix the tests\n  █'],
    ['Enter in an empty box', true, '█', '█'],
    ['a command of the program', true, '/clear█', '█'],
  ])('%s is not sent', (_, isEntered, before, after) => {
    const session = idle().types().shows(screen('', before)).wait(1000);
    session.reducer.typed(session.now, isEntered);
    expect(session.wait(50).shows(screen('', after)).wait(50).is).toBe('idle (prompt)');
  });

  test('is known by the key, and not by a line of something pasted', () => {
    expect(['\r', 'fix it\r', '\x1b[13u', '\x1b[200~a\rb\x1b[201~\r'].map(endsWithEnter)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['fix it', '\x1b[200~a\r', '\x1b[200~a\rb\x1b[201~', '\n'].map(endsWithEnter)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('is forgotten when what was entered is not gone for a while', () => {
    const draft = new InputDraft();
    draft.look('fix it', 0, 0);
    draft.entered(100);
    expect(draft.look('', 6000, 100)).toBe(false);
  });
});

test('[STATE-1] idle ends at the first look at a dialog, also where the dialog has to settle', () => {
  const box = `╭${RULE}╮\n│ ❯ █\n╰${RULE}╯`;
  const session = new ReducerFixture('strange-agent').shows(`hello\n${box}`).wait(4000);
  expect(session.is).toBe('idle (box)');
  const menu = 'Use arrow keys\n  ❯ Keep it\n    Delete it\n';
  expect(session.shows(menu + box).is).not.toContain('idle');
  expect(session.wait(400).is).toBe('blocked (menu)');
});

test("[STATE-1] OpenCode is not idle while its user's message has no answer below it", () => {
  const view = (above: string): string =>
    `${above}\n\n  ┃\n  ┃  █\n  ┃\n  ┃  Build · scripted scripted\n  ╹▀▀▀▀▀▀▀▀\n                              ctrl+p commands`;
  const session = new ReducerFixture('opencode')
    .shows(view('     Hello.\n\n     ▣  Build · scripted · 1.2s'))
    .wait(2000);
  expect(session.is).toBe('idle (prompt)');
  session.shows(view('  ┃\n  ┃  fix the tests\n  ┃'));
  expect(session.wait(3000).is).toBe('working');
  expect(session.wait(3000).is).toBe('idle (prompt)');
});

describe('[STATE-22] the end of a turn that the screen tells', () => {
  const codex = (above: string): string => `• Half an answer\n\n${above}\n\n\n› █\n\n  ? for shortcuts`;

  test('a notice above the box, over several rows', () => {
    const works = (): ReducerFixture =>
      new ReducerFixture('codex').shows(codex('• Working (3s • esc to interrupt)')).wait(1000);
    expect(
      works().shows(codex('■ Conversation interrupted - tell the\nmodel what to do\ndifferently.')).wait(300).is,
    ).toBe('idle (prompt)');
    expect(works().shows(codex('■ An older notice\n\n• and more of the answer')).wait(300).is).toBe('working');
  });

  test('a time below the answer', () => {
    const session = new ReducerFixture('codex').shows(codex('• Working (3s • esc to interrupt)')).wait(1000);
    expect(session.shows(codex('  at 17:34')).wait(300).is).toBe('working');
    expect(session.shows(codex('  17:34')).wait(300).is).toBe('idle (prompt)');
  });

  test('a line below an answer that was there at once, beside a scroll bar', () => {
    const bar = `${' '.repeat(70)}▐\n`.repeat(3);
    const grok = (above: string): string => `${above}\n\n${bar}\n  ╭${RULE}╮\n  │ ❯ ▮ │\n  ╰${RULE}╯\n  Shift+Tab:mode`;
    const more = { cursor: { row: 9, col: 6 } };
    const sent = (above: string): ReducerFixture => {
      const session = new ReducerFixture('grok').shows(grok('').replace('▮', 'say it'), more).wait(1000);
      session.reducer.typed(session.now, true);
      return session.wait(50).shows(grok(above).replace('▮', ''), more).wait(300);
    };
    expect(sent('  ❯ say it\n\n     It.\n\n     Worked for 0.0s').is).toBe('idle (prompt)');
    expect(sent('  ❯ say it\n\n  ┃  Not found (404)').is).toBe('idle (prompt)');
    expect(sent('  Worked for 2m 3.4s\n\n  ❯ say it').is).toBe('working');
  });
});

test('[STATE-45] a spinner in the title that stands still says less than a prompt that rests', () => {
  const grok = `  ❯ say it\n\n  ┃  Bad request\n  ╭${RULE}╮\n  │ ❯ █ │\n  ╰${RULE}╯\n  Shift+Tab:mode`;
  const session = new ReducerFixture('grok').says({ type: 'title-changed', title: '⠼ - Waiting for response… - grok' });
  expect(session.shows(grok, { title: '⠼ - Waiting for response… - grok' }).wait(400).is).toBe('working');
  expect(session.wait(300).is).toBe('idle (prompt)');
});

test('[STATE-22] a title that showed work and no longer does is its end, also for a prompt that may hide an answer', () => {
  const codex = '• Half an answer\n\n\n› █\n\n  ? for shortcuts';
  const title = (text: string) => ({ type: 'title-changed', title: text }) as const;
  const works = (): ReducerFixture => {
    const session = new ReducerFixture('codex')
      .shows(`• Working (3s • esc to interrupt)\n\n${codex.slice(18)}`)
      .wait(2000);
    return session.says(title('⠸ project')).shows(`${codex}  `, { title: '⠸ project' }).wait(700);
  };
  expect(works().is).toBe('working');
  expect(works().says(title('project')).shows(codex.replace('Half', 'All of'), { title: 'project' }).wait(450).is).toBe(
    'idle (prompt)',
  );
  expect(works().shows(codex.replace('Half', 'All of'), { title: '⠸ project' }).wait(450).is).toBe('working');
});
