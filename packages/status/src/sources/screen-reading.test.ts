/** Tests screens that are in no recording: the rules should match the meaning of programs, not only the recorded words. */
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { agentOfCommand } from './command-agent.ts';
import { textBeforeCursor } from './screen-lines.ts';
import { readLine, readScreen, type ScreenReading } from './screen-reading.ts';
import { viewOf } from '../testing/views.ts';

const read = (text: string, command = 'tool', title = ''): ScreenReading =>
  readScreen(BUILT_IN_RULES, viewOf(text, { title }), {
    started: agentOfCommand(BUILT_IN_RULES, command.split(' ')),
    agent: null,
  });

test.each([
  ['Proceed? [y/N] ', 'confirm'],
  ['Do you want to continue? [Y/n] ', 'confirm'],
  ['Overwrite a.txt? (yes/no) ', 'confirm'],
  ['Ok to proceed? (y) ', 'confirm'],
  ['Are you sure you want to delete 3 branches? ', 'confirm'],
  ['Are you sure you want to continue connecting (yes/no/[fingerprint])? ', 'confirm'],
  ["rm: remove regular file 'notes.txt'? ", 'confirm'],
  ["rm: remove write-protected regular empty file 'a'? ", 'confirm'],
  ["typed too earlyrm: remove regular file 'notes.txt'? ", 'confirm'],
  ["rm: descend into directory '/tmp/x'? ", 'confirm'],
  ["/bin/mv: replace 'b', overriding mode 0444 (r--r--r--)? ", 'confirm'],
  ["cp: overwrite 'b'? ", 'confirm'],
  ["ln: replace 'b'? ", 'confirm'],
  ['< rm ... ./x > ? ', 'confirm'],
  ['rm a b c ?...', 'confirm'],
  ['gzip: b.gz already exists; do you wish to overwrite (y or n)? ', 'confirm'],
  ['Quit anyway? (y or n) ', 'confirm'],
  ['(1/2) Stage this hunk [y,n,q,a,d,e,?]? ', 'confirm'],
  ['replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: ', 'confirm'],
  ['zsh: sure you want to delete all 3 files in /tmp/x [yn]? ', 'confirm'],
  ["zsh: correct 'sl' to 'ls' [nyae]? ", 'confirm'],
  ['[sudo] password for user: ', 'password'],
  ["Enter passphrase for key '/home/u/.ssh/id_ed25519': ", 'password'],
  ['Password: ', 'password'],
  ['Verification code: ', 'password'],
  ['done.\n\nPress any key to continue . . . ', 'key'],
  ['Press ENTER to continue', 'key'],
  ['Hit enter to quit.', 'key'],
  ['one\ntwo\n--More--(12%)', 'pager'],
  ['commit 1234\n(END)', 'pager'],
  ['Which one?\n❯ 1. Red\n  2. Blue', 'menu'],
  ['? Pick a framework › - Use arrow-keys. Return to submit.\n❯   react\n    vue', 'menu'],
  ['? Select features: (Press <space> to select)\n❯ ◯ TypeScript\n  ◯ ESLint', 'menu'],
  ['◆  Install dependencies?\n│  ● Yes / ○ No\n└', 'menu'],
  ['? Project name: ', 'question'],
])('any program: %j waits for a person (%s)', (text, kind) =>
  expect(read(text)).toMatchObject({ state: 'blocked', kind }),
);

test.each([
  ['Are you sure? [y/N] y\ndeleting a\ndeleting b'],
  ['The password: it is a secret\nok'],
  ['Step 3/9\n1. compile\n2. link'],
  ['Downloading 45% '],
  ['Would you like to know more? See the manual.\n'],
  ['Press releases are in docs/press'],
  ["rm: remove regular file 'a'? y\n"],
  ["rm: cannot remove 'why?': No such file or directory\n"],
])('any program: %j asks nothing', (text) => expect(read(text).state).toBeNull());

test.each([
  ['user@box:~/src$ ', 'bash'],
  ['root@box:/# ', 'bash'],
  ['user@box ~ $ ', 'sh'],
  ['[src] (main) $ ', 'bash'],
  ['box% ', 'zsh'],
  ['user@box src % ', 'zsh'],
  ['➜  project git:(main) ', 'zsh'],
  ['~/project\n❯ ', 'fish'],
  ['PS /home/u> ', 'pwsh'],
])('a shell: %j is its prompt', (text, command) =>
  expect(read(text, command)).toMatchObject({ state: 'idle', kind: 'prompt', agent: 'shell', confidence: 0.75 }),
);

test.each(['Downloading 45 % ', 'user@box is at 45 % ', 'a > '])('a shell: %j is no prompt', (text) =>
  expect(read(text, 'bash').state).toBeNull(),
);

test('of a program that we do not know, the same is a weaker hint', () => {
  expect(read('>>> ', 'python3')).toMatchObject({ state: 'idle', rule: 'any/prompt', confidence: 0.5, agent: null });
});

const BOX = '──────────────────────';

test.each([
  [
    'claude: a plan to approve',
    'claude',
    ` Here is Claude's plan:\n${BOX}\n 1. Read the file\n${BOX}\n Would you like to proceed?\n\n ❯ 1. Yes, and auto-accept edits\n   2. Yes, and manually approve edits\n   3. No, keep planning`,
    { state: 'blocked', kind: 'permission' },
  ],
  [
    'claude: an edit in the box of older versions',
    'claude',
    '│ Do you want to make this edit to a.ts?      │\n│ ❯ 1. Yes                                   │\n│   2. No, and tell Claude what to do (esc) │\n╰───────────────────╯',
    { state: 'blocked', kind: 'permission' },
  ],
  [
    'claude: it works',
    'claude',
    `✽ Fixing the tests… (12s · ↑ 1.2k tokens · esc to interrupt)\n\n${BOX}\n❯ █\n${BOX}\n  ? for shortcuts`,
    { state: 'working', activity: 'Fixing the tests' },
  ],
  [
    'claude: somebody types while it works',
    'claude',
    `✶ Baking… (3s · thinking)\n${BOX}\n❯ and then█\n${BOX}\n  ⏸ manual mode on`,
    { state: 'working', activity: 'Thinking' },
  ],
  [
    'claude: a question that was typed, not asked',
    'claude',
    `✻ Baked for 3s\n${BOX}\n❯ Do you want to proceed? [y/N] █\n${BOX}\n  ? for shortcuts`,
    { state: 'idle', kind: 'prompt' },
  ],
  [
    'claude: a list in an answer',
    'claude',
    `● Do you want to:\n  1. Yes, this\n  2. No, that\n✻ Baked for 3s\n${BOX}\n❯ █\n${BOX}\n  ? for shortcuts`,
    { state: 'idle', kind: 'prompt' },
  ],
  [
    'codex: trust',
    'codex',
    '> You are in /home/u/x\n\n  Do you trust the contents of this directory?\n\n› 1. Yes, continue\n  2. No, quit\n\n  Press enter to continue',
    { state: 'blocked', kind: 'trust' },
  ],
  [
    'codex: a patch',
    'codex',
    '  Would you like to make the following edits?\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel',
    { state: 'blocked', kind: 'permission' },
  ],
  [
    'codex: it thinks',
    'codex',
    '• Exploring the repository (7s • esc to interrupt)\n\n› █Ask Codex to do anything\n\n  model · ~/x',
    { state: 'working', activity: 'Exploring the repository', thought: 'Exploring the repository' },
  ],
  [
    'gemini: an edit',
    'gemini',
    '│ ? Edit  a.ts: x => y │\n│ Apply this change? │\n│ ● 1. Allow once │\n│   2. Allow for this session │\n│   3. No, suggest changes (esc) │\n╰──────╯',
    { state: 'blocked', kind: 'permission', activity: 'Apply this change? a.ts' },
  ],
  [
    'gemini: it thinks',
    'gemini',
    ' ⠼ Considering the options (esc to cancel, 12s)\n > █  Type your message',
    { state: 'working', thought: 'Considering the options' },
  ],
  [
    'grok: it asks',
    'grok',
    '  ┃  Allow Write to a.ts?\n  ┃  1 (○) Yes, and never ask again\n  ┃  2 (●) Yes\n  ┃  3 (○) No, reject\n  1/3:select │ Ctrl+o:always-approve',
    { state: 'blocked', kind: 'permission', activity: 'Allow Write to a.ts?' },
  ],
  [
    'opencode: it works',
    'opencode',
    '  ~ Writing command…\n  ┃ █\n   ⬝⬝■■  esc interrupt     ctrl+p commands',
    { state: 'working', activity: 'Writing command' },
  ],
])('%s', (_, command, text, expected) => expect(read(text, command)).toMatchObject(expected));

test('the evidence of a prompt is the whole prompt, not the sign that the rule looks for', () =>
  expect(read('user@box:~/src# ', 'bash').why).toBe('the screen shows "user@box:~/src#"'));

test('an agent in a shell is recognised by its screen or title, and gone when the prompt is back', () => {
  const claude = `Claude Code v3.0\n${BOX}\n❯ █\n${BOX}\n  ? for shortcuts`;
  expect(read(claude, 'bash')).toMatchObject({ agent: 'claude', state: 'idle', rule: 'claude/prompt' });
  expect(read('user@box:~$ make\ncc -c a.c\n', 'bash', '◐ Claude Code')).toMatchObject({
    agent: 'claude',
    state: null,
  });
  const back = readScreen(BUILT_IN_RULES, viewOf('Bye!\nuser@box:~$ '), { started: 'shell', agent: 'claude' });
  expect(back).toMatchObject({ agent: 'shell', rule: 'shell/prompt' });
});

test('titles and notifications are read by the same rules', () => {
  expect(readLine(BUILT_IN_RULES, 'title', '◑ Claude Code', 'claude')).toMatchObject({
    state: 'working',
    freshMs: 5000,
  });
  expect(readLine(BUILT_IN_RULES, 'title', '✋  Action Required (x)', null)).toMatchObject({
    state: 'blocked',
    agent: 'gemini',
  });
  expect(readLine(BUILT_IN_RULES, 'notification', 'Claude needs your permission', 'claude').kind).toBe('permission');
  expect(readLine(BUILT_IN_RULES, 'notification', 'Build finished', null)).toMatchObject({
    state: 'idle',
    kind: 'done',
  });
  expect(readLine(BUILT_IN_RULES, 'title', 'vim a.c', null).state).toBeNull();
});

test('[STATE-8] a question that goes on in the next row is read whole, with its answers', () => {
  const view = { ...viewOf('Apply 20 migrations to production? [y\n/n] '), cursor: { row: 1, col: 4 } };
  const look = (textAboveCursor: string): ScreenReading =>
    readScreen(BUILT_IN_RULES, { ...view, textAboveCursor }, { started: null, agent: null });
  expect(look('Apply 20 migrations to production? [y')).toMatchObject({
    state: 'blocked',
    kind: 'confirm',
    question: { text: 'Apply 20 migrations to production? [y/n]', options: [{ label: 'yes' }, { label: 'no' }] },
  });
  expect(look('').state).toBeNull();
});

test('the cursor counts cells: wide characters have two, and the blank of a prompt is put back', () => {
  expect(textBeforeCursor({ ...viewOf('漢字 $'), cursor: { row: 0, col: 7 } })).toBe('漢字 $ ');
  expect(textBeforeCursor({ ...viewOf('漢字 abc'), cursor: { row: 0, col: 5 } })).toBe('漢字 ');
  expect(textBeforeCursor({ ...viewOf('a'), cursor: { row: 9, col: 2 } })).toBe('  ');
});

const CODEX_MENU = `
  Background server has incompatible feature settings

  This session requires apps to be disabled

  These settings persist and can disable functionality for other clients. Restart may interrupt
  active or queued work.

  Restart will use these shared feature settings:
    apps = false
    plugins = false

  1. Run without daemon this time
  2. Restart with these settings (recommended)
› 3. Cancel█`;

test('[STATE-1] codex: its question about a shared server is blocked, with its answers; the same words in a chat are not', () => {
  const reading = read(CODEX_MENU, 'codex');
  expect(reading).toMatchObject({ state: 'blocked', kind: 'menu', rule: 'codex/shared-server' });
  expect(reading.question).toMatchObject({
    text: 'Background server has incompatible feature settings',
    options: [
      { label: 'Run without daemon this time' },
      { label: 'Restart with these settings (recommended)' },
      { label: 'Cancel' },
    ],
  });
  expect(read(`${CODEX_MENU.replace('█', '')}\n\n› Ask Codex to do anything█`, 'codex')).toMatchObject({
    state: 'idle',
  });
});

test('[STATE-1] qwen: its spinner is work, also where its hint is wrapped; its own box is not Gemini', () => {
  const box = `────────────────────\n> █  Type your message or @path/to/file\n────────────────────\n  ➜ project · scripted`;
  expect(read(box)).toMatchObject({ state: 'idle', agent: 'qwen', kind: 'prompt' });
  for (const above of [
    '  ⠼ Just remembered where I put my keys... (0s · esc to cancel)',
    '  ⠴ Asking the magic conch shell...\n  (0s · esc to cancel)',
    '  ⠴ Asking the magic\n  conch shell...\n  (1m 2s · ↓ 95 tokens ·\n  esc to cancel)',
  ])
    expect(read(`  > please ponder\n${above}\n${box}`, 'qwen')).toMatchObject({ state: 'working', agent: 'qwen' });
});

test('[STATE-1] qwen: a permission is blocked, with its subject and its answers', () => {
  const dialog = `
  > please run touch abc

  ? Shell touch abc (Run a command) ←

     touch abc

   Allow execution of: 'touch'?

   › 1. Yes, allow once
     2. Always allow run 'touch *' commands in this project
     4. No, suggest changes (esc)

  ⠏ Waiting for user confirmation...`;
  const reading = read(dialog, 'qwen');
  expect(reading).toMatchObject({ state: 'blocked', kind: 'permission' });
  expect(reading.question).toMatchObject({ text: "Allow execution of: 'touch'?", subject: 'touch abc' });
});
