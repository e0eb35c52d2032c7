import type { Question } from '@spool/protocol';
import { describe, expect, test } from 'vitest';
import { ReducerFixture } from '../testing/session.ts';

const RULE = '─'.repeat(70);
const DASHES = '╌'.repeat(70);
const asked = (agent: string, screen: string): Question | undefined =>
  new ReducerFixture(agent).shows(screen).wait(500).reducer.status.question;

const CLAUDE_BASH = (command: string): string =>
  `❯ the prompt of the user?\n\n● Two at once.\n\n  ⎿  $ touch other.txt\n\n${RULE}\n Bash command\n Make a file\n${DASHES}\n${command}\n${DASHES}\n Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and switch to auto mode\n   3. No\n\n Esc to cancel · Tab to amend`;

describe('[STATE-8] the reported question comes from inside the dialog', () => {
  test('claude with two tools: the command of this dialog, not the other one', () => {
    expect(asked('claude', CLAUDE_BASH(' touch mine.txt'))).toEqual({
      text: 'Do you want to proceed?',
      subject: 'touch mine.txt',
      options: [
        { key: '1', label: 'Yes' },
        { key: '2', label: 'Yes, and switch to auto mode' },
        { key: '3', label: 'No' },
      ],
    });
  });

  test('a command of several lines is one line', () => {
    expect(asked('claude', CLAUDE_BASH(' cd src &&\n   make all'))?.subject).toBe('cd src && make all');
  });

  test('a question that is too long for its row is whole', () => {
    const screen = `${'─'.repeat(40)}\n Edit file\n${'╌'.repeat(40)}\n 1 x\n${'╌'.repeat(40)}\n Do you want to make this edit to\n packages/long-name.ts?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend`;
    expect(asked('claude', screen)).toMatchObject({
      text: 'Do you want to make this edit to packages/long-name.ts?',
      subject: 'packages/long-name.ts',
    });
  });

  test('claude in a small window: the command if it begins on the screen, and nothing if it may begin above', () => {
    const rest = '\n   Make a file\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend';
    expect(asked('claude', `\n\n   touch mine.txt${rest}`)?.subject).toBe('touch mine.txt');
    expect(asked('claude', `   && touch mine.txt${rest}`)?.subject).toBeUndefined();
  });

  test('codex in a small window: the file that is the destination', () => {
    const screen =
      '  Would you like to make the following\n  edits?\n\n  Destination:\n  /tmp/menu.md\n\n› 1. Yes, proceed (y)\n↓\n  Press enter to confirm or esc to\n  cancel';
    expect(asked('codex', screen)).toMatchObject({
      text: 'Would you like to make the following edits?',
      subject: '/tmp/menu.md',
    });
  });

  test('codex: the keys that the options name', () => {
    const screen = `› my own question?\n\n  Would you like to run the following command?\n\n  Reason: Is it wanted?\n\n  $ make -j4 &&\n    make install\n\n› 1. Yes, proceed (y)\n  2. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel`;
    expect(asked('codex', screen)).toEqual({
      text: 'Would you like to run the following command?',
      subject: 'make -j4 && make install',
      options: [
        { key: 'y', label: 'Yes, proceed' },
        { key: 'Escape', label: 'No, and tell Codex what to do differently' },
      ],
    });
  });

  test('gemini: the box in the box', () => {
    const screen = `╭${RULE}╮\n│ ? Shell  touch b.txt   2 of 2 │\n│ ╭───────────╮ │\n│ │ touch b.txt │ │\n│ ╰───────────╯ │\n│ Allow execution of [Shell]?  │\n│                              │\n│ ● 1. Allow once              │\n│   2. No, suggest changes (esc) │\n╰${RULE}╯`;
    expect(asked('gemini', screen)).toEqual({
      text: 'Allow execution of [Shell]?',
      subject: 'touch b.txt',
      options: [
        { key: '1', label: 'Allow once' },
        { key: 'Escape', label: 'No, suggest changes' },
      ],
    });
  });

  test('grok: the dialog, not its last option', () => {
    const screen = `  ❯ do it, ok?\n\n  ┃\n  ┃  Runs a command\n  ┃  touch c.txt\n  ┃\n  ┃  1 (●) Yes, and don't ask again\n  ┃  2 (○) Yes, proceed\n  ┃  3 (○) No, reject\n  ┃\n\n  1/3:select  │  Tab:next option  │  Ctrl+o:always-approve`;
    expect(asked('grok', screen)).toMatchObject({ text: 'Runs a command', subject: 'touch c.txt' });
    expect(asked('grok', screen)?.options.at(-1)).toEqual({ key: '3', label: 'No, reject' });
  });

  test('opencode: the dialog, not the prompt of the user; without colours its answers have no key', () => {
    const screen = `  ┃\n  ┃  should I do it?\n  ┃\n\n     Let me look.\n\n  ┃\n  ┃  △ Permission required\n  ┃    → Edit hello.txt\n  ┃\n  ┃  1 - a\n  ┃\n  ┃   Allow once   Allow always   Reject       ctrl+f fullscreen  ⇆ select  enter confirm`;
    expect(asked('opencode', screen)).toEqual({
      text: 'Permission required',
      subject: 'Edit hello.txt',
      options: ['Allow once', 'Allow always', 'Reject'].map((label) => ({ key: null, label })),
    });
  });

  test('a list without numbers is answered with arrows, from where the mark is', () => {
    const screen = `${RULE}\n Accessing workspace:\n\n /home/user/project\n\n Quick safety check: Is this a project you trust? (Like your own code.)\n\n Claude Code'll be able to read, edit, and execute files here.\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel`;
    expect(asked('claude', screen)).toEqual({
      text: 'Quick safety check: Is this a project you trust?',
      subject: '/home/user/project',
      options: [
        { key: 'Enter', label: 'No, exit' },
        { key: 'Down Enter', label: 'Yes, I trust this folder' },
      ],
    });
  });

  test('a label over several rows is whole, with its key at the end; a description below it is not part of it', () => {
    const codex = `  Would you like to run the following command?\n\n  $ mkdir -p /home/user/birch-dir\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't ask again for commands that start with \`mkdir -p /home/\n     user/birch-dir\` (p)\n  3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel`;
    expect(asked('codex', codex)?.options[1]).toEqual({
      key: 'p',
      label: "Yes, and don't ask again for commands that start with `mkdir -p /home/user/birch-dir`",
    });
    const claude = `${'─'.repeat(40)}\n Bash command\n${'╌'.repeat(40)}\n ./job.sh birch 3\n${'╌'.repeat(40)}\n Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and don’t ask again for:\n      ./job.sh birch *\n   3. Yes, and switch to auto mode ·\n      auto mode handles these prompts\n      for you\n   4. No\n\n Esc to cancel · Tab to amend`;
    expect(asked('claude', claude)?.options.map(({ label }) => label)).toEqual([
      'Yes',
      'Yes, and don’t ask again for: ./job.sh birch *',
      'Yes, and switch to auto mode · auto mode handles these prompts for you',
      'No',
    ]);
    const question = `${'─'.repeat(72)}\n ☐ Tree\n\nWhich tree?\n\n❯ 1. Oak\n     about Oak\n  2. Elm\n     about Elm\n\nEnter to select · ↑/↓ to navigate · Esc to cancel`;
    expect(asked('claude', question)?.options.map(({ label }) => label)).toEqual(['Oak', 'Elm']);
  });

  test('grok: an answer of one’s own is the last option, and never what the question is about', () => {
    const screen = (options: string): string =>
      `  ┃\n  ┃  Which tree do you prefer?\n  ┃\n${options}  ┃  z (○) Type your answer here\n  ┃\n  ┃  ↑/↓ navigate · y copy   Enter:submit\n  ┃\n  Tab:next answer  │  Esc:scrollback  │  Shift+x:dismiss`;
    expect(asked('grok', screen('  ┃  1 (○) Oak  The answer Oak\n  ┃  2 (○) Elm  The answer Elm\n'))).toEqual({
      text: 'Which tree do you prefer?',
      options: [
        { key: '1', label: 'Oak' },
        { key: '2', label: 'Elm' },
        { key: 'z', label: 'Type your answer here' },
      ],
    });
    expect(asked('grok', screen(''))).toEqual({ text: 'Which tree do you prefer?', options: [] });
  });

  test('opencode without frames: the buttons, and never a line of the talk above as an answer', () => {
    const screen = `Is this all?\n\n› Run it.\n\nLet me look.\n\n$ echo a\n\n  △ Permission required\n   # Shell command\n\n  $ echo a\n\n   Allow once   Allow always   Reject      ⇆ select  enter confirm  esc reject`;
    expect(asked('opencode', screen)).toEqual({
      text: 'Shell command',
      subject: 'echo a',
      options: ['Allow once', 'Allow always', 'Reject'].map((label) => ({ key: null, label })),
    });
  });

  test('claude: a warning to be accepted is a question too', () => {
    const screen = `${RULE}\n  WARNING: Claude Code running in Bypass Permissions mode\n\n  By proceeding, you accept all responsibility.\n\n  ❯ No, exit\n    Yes, I accept\n\n  Enter to confirm · Esc to cancel`;
    expect(asked('claude', screen)).toEqual({
      text: 'WARNING: Claude Code running in Bypass Permissions mode',
      options: [
        { key: 'Enter', label: 'No, exit' },
        { key: 'Down Enter', label: 'Yes, I accept' },
      ],
    });
  });

  test('any program: a question at the cursor', () => {
    expect(asked('apt install x', 'Do you want to continue? [Y/n] ')).toEqual({
      text: 'Do you want to continue? [Y/n]',
      options: [
        { key: 'y Enter', label: 'yes' },
        { key: 'n Enter', label: 'no' },
      ],
    });
    expect(asked('sudo ls', '[sudo] password for user: ')).toMatchObject({ options: [] });
  });

  test('any program: answers with a letter each, as vim asks when there is a swap file', () => {
    const choices = '[O]pen Read-Only, (E)dit anyway, (R)ecover, (D)elete it, (Q)uit, (A)bort: ';
    expect(asked('vim a.txt', `E325: ATTENTION\nSwap file ".a.txt.swp" already exists!\n${choices}`)).toEqual({
      text: choices.trim(),
      options: ['Open Read-Only', 'Edit anyway', 'Recover', 'Delete it', 'Quit', 'Abort'].map((label) => ({
        key: null,
        label,
      })),
    });
    expect(new ReducerFixture('cat').shows('see chapters (a)lpha, (b)eta and (c)ourse\n').wait(500).is).toBe('working');
  });
});

test('[STATE-8] the activity is the question with its subject, and it stays while nothing changes', () => {
  const session = new ReducerFixture('claude').shows(CLAUDE_BASH(' touch mine.txt')).wait(500);
  const { status } = session.reducer;
  expect(status.activity).toBe('Do you want to proceed? touch mine.txt');
  expect(session.reducer.asks).toBe('Do you want to proceed? touch mine.txt');
  session.shows(`${CLAUDE_BASH(' touch mine.txt')} `).wait(500);
  expect(session.reducer.status).toBe(status);
});
