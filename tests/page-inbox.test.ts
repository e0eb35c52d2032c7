/** Tests dialogs of real agents in the inbox, from recordings, and the keys that an answer presses. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@spool/client';
import { BrowserNetwork, TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { RecordedDialog } from './support/recorded-dialog.ts';

afterAll(closeBrowser);

const WITHIN_MS = 120_000;

interface Dialog {
  readonly recording: string;
  readonly mark: string;
  readonly question: string;
  readonly subject?: string;
  /** The keys that the page names, and the words of the agent. */
  readonly options: readonly (readonly [key: string, label: string])[];
  /** The label of the chosen answer, and the bytes that the agent gets. */
  readonly answer: readonly [label: string, bytes: string];
}

const ESCAPE = '\x1b';
/** The key Escape for Codex, which requests keys that cannot be mistaken for the beginning of others. */
const CODEX_ESCAPE = '\x1b[27u';
const [UP, DOWN, RIGHT] = ['\x1b[A', '\x1b[B', '\x1b[C'];
const CLAUDE_AUTO = 'Yes, and switch to auto mode · auto mode handles these prompts for you';
const CLAUDE_EDITS =
  'Yes, and switch to accept edits (auto-approve file edits and common file commands) for this session (shift+tab)';
const CODEX_NO = ['esc', 'No, and tell Codex what to do differently'] as const;
const GEMINI_ONCE = [
  ['1', 'Allow once'],
  ['2', 'Allow for this session'],
] as const;
const GEMINI_NO = ['esc', 'No, suggest changes'] as const;
const GEMINI_EDIT = [...GEMINI_ONCE, ['3', 'Modify with external editor'], GEMINI_NO] as const;
const GROK_ALWAYS = ['1', "Yes, and don't ask again for anything (always-approve mode)"] as const;
const GROK_EDIT = [
  GROK_ALWAYS,
  ['2', 'Yes, allow all edits during this session'],
  ['3', 'Yes'],
  ['4', 'No, reject (type to add feedback)'],
] as const;
const OPENCODE_BUTTONS = [
  ['⏎', 'Allow once'],
  ['Right ⏎', 'Allow always'],
  ['Right Right ⏎', 'Reject'],
] as const;

/** The dialogs as they are on each agent's screen. */
const DIALOGS: Readonly<Record<string, Dialog>> = {
  'claude command': {
    recording: 'claude-a',
    mark: 'dialog-bash',
    question: 'Do you want to proceed?',
    subject: 'sleep 3; touch amber-1.txt',
    options: [
      ['1', 'Yes'],
      ['2', 'Yes, and always allow access to /home/user/project from this project'],
      ['3', CLAUDE_AUTO],
      ['4', 'No'],
    ],
    answer: ['Yes', '1'],
  },
  'claude narrow': {
    recording: 'claude-p1',
    mark: 'dialog-birch-early',
    question: 'Do you want to proceed?',
    subject: './job.sh birch 3',
    options: [
      ['1', 'Yes'],
      ['2', 'Yes, and don’t ask again for: ./job.sh birch *'],
      ['3', CLAUDE_AUTO],
      ['4', 'No'],
    ],
    answer: ['Yes, and don’t ask again for: ./job.sh birch *', '2'],
  },
  'claude new file': {
    recording: 'claude-a',
    mark: 'dialog-write',
    question: 'Do you want to create amber-new.txt?',
    subject: 'amber-new.txt',
    options: [
      ['1', 'Yes'],
      ['2', CLAUDE_EDITS],
      ['3', 'No'],
    ],
    answer: ['No', '3'],
  },
  'claude edit': {
    recording: 'claude-a',
    mark: 'dialog-edit',
    question: 'Do you want to make this edit to hello.txt?',
    subject: 'hello.txt',
    options: [
      ['1', 'Yes'],
      ['2', CLAUDE_EDITS],
      ['3', 'No'],
    ],
    answer: [CLAUDE_EDITS, '2'],
  },
  'claude question': {
    recording: 'claude-a',
    mark: 'dialog-question',
    question: 'Which amber colour do you like?',
    options: [
      ['1', 'Red'],
      ['2', 'Blue'],
      ['3', 'Type something.'],
      ['4', 'Chat about this'],
    ],
    answer: ['Blue', '2'],
  },
  'claude trust': {
    recording: 'claude/tui-full-kitty',
    mark: 'trust-dialog',
    question: 'Quick safety check: Is this a project you created or one you trust?',
    subject: '/home/user/project',
    options: [
      ['⏎', 'No, exit'],
      ['Down ⏎', 'Yes, I trust this folder'],
    ],
    answer: ['Yes, I trust this folder', `${DOWN}\r`],
  },
  'claude key': {
    recording: 'claude/tui-full-kitty',
    mark: 'api-key-dialog',
    question: 'Do you want to use this API key?',
    options: [
      ['Up ⏎', 'Yes'],
      ['⏎', 'No (recommended)'],
    ],
    answer: ['Yes', `${UP}\r`],
  },
  'claude bypass': {
    recording: 'claude/tui-long-tool',
    mark: 'start',
    question: 'WARNING: Claude Code running in Bypass Permissions mode',
    options: [
      ['⏎', 'No, exit'],
      ['Down ⏎', 'Yes, I accept'],
    ],
    answer: ['Yes, I accept', `${DOWN}\r`],
  },
  'codex command': {
    recording: 'codex-a',
    mark: 'dialog-command',
    question: 'Would you like to run the following command?',
    subject: 'sleep 3 && touch /home/user/amber-1.txt && echo done',
    options: [
      ['y', 'Yes, proceed'],
      ['p', "Yes, and don't ask again for commands that start with `sleep 3`"],
      CODEX_NO,
    ],
    answer: ['Yes, proceed', 'y'],
  },
  'codex narrow': {
    recording: 'codex-q1',
    mark: 'dialog-lemon-early',
    question: 'Would you like to run the following command?',
    subject: './job.sh lemon 3',
    options: [
      ['y', 'Yes, proceed'],
      ['p', "Yes, and don't ask again for commands that start with `./job.sh lemon 3`"],
      CODEX_NO,
    ],
    answer: ["Yes, and don't ask again for commands that start with `./job.sh lemon 3`", 'p'],
  },
  'codex edit': {
    recording: 'codex-m1',
    mark: 'dialog-edit-early',
    question: 'Would you like to make the following edits?',
    subject: 'notes.md',
    options: [['y', 'Yes, proceed'], ['a', "Yes, and don't ask again for these files"], CODEX_NO],
    answer: [CODEX_NO[1], CODEX_ESCAPE],
  },
  'gemini command': {
    recording: 'gemini-a',
    mark: 'dialog-shell',
    question: 'Allow execution of [Shell]?',
    subject: 'sleep 3; touch amber-1.txt',
    options: [...GEMINI_ONCE, GEMINI_NO],
    answer: ['Allow for this session', '2'],
  },
  'gemini new file': {
    recording: 'gemini-a',
    mark: 'dialog-write',
    question: 'Apply this change?',
    subject: 'amber-new.txt',
    options: GEMINI_EDIT,
    answer: ['Allow once', '1'],
  },
  'gemini edit': {
    recording: 'gemini-a',
    mark: 'dialog-edit',
    question: 'Apply this change?',
    subject: 'hello.txt',
    options: GEMINI_EDIT,
    answer: [GEMINI_NO[1], ESCAPE],
  },
  'gemini fetch': {
    recording: 'gemini-a',
    mark: 'dialog-fetch',
    question: 'Do you want to proceed?',
    subject: 'https://amber.example/page',
    options: [...GEMINI_ONCE, GEMINI_NO],
    answer: ['Allow once', '1'],
  },
  'gemini question': {
    recording: 'gemini-m1',
    mark: 'dialog-question-early',
    question: 'Which of the three trees do you prefer?',
    options: [
      ['1', 'Oak'],
      ['2', 'Elm'],
      ['3', 'Ash'],
    ],
    answer: ['Ash', '3'],
  },
  'gemini trust': {
    recording: 'gemini/tui-full-kitty',
    mark: 'start',
    question: 'Do you trust the files in this folder?',
    options: [
      ['1', 'Trust folder (project)'],
      ['2', 'Trust parent folder (user)'],
      ['3', "Don't trust"],
    ],
    answer: ["Don't trust", '3'],
  },
  'grok command': {
    recording: 'grok-ga',
    mark: 'dialog-shell',
    question: 'Runs a command',
    subject: 'for x in 1; do sleep 3; touch /home/user/amber-1.txt; done',
    options: [GROK_ALWAYS, ['2', 'Yes, proceed'], ['3', 'No, reject (type to add feedback)']],
    answer: ['Yes, proceed', '2'],
  },
  'grok scoped': {
    recording: 'grok-m1',
    mark: 'dialog-command-early',
    question: 'Do the work',
    subject: './job.sh alpha 6',
    options: [
      GROK_ALWAYS,
      ['2', 'Always allow: ./job.sh alpha'],
      ['3', 'Yes, proceed'],
      ['4', 'No, reject (type to add feedback)'],
      ['5', 'Never allow: ./job.sh alpha'],
    ],
    answer: ['Never allow: ./job.sh alpha', '5'],
  },
  'grok edit': {
    recording: 'grok-ga',
    mark: 'dialog-edit',
    question: 'Allow Edit to /home/user/project/hello.txt?',
    subject: '/home/user/project/hello.txt',
    options: GROK_EDIT,
    answer: ['No, reject (type to add feedback)', '4'],
  },
  'grok question': {
    recording: 'grok-ga',
    mark: 'dialog-question',
    question: 'Which amber colour do you like?',
    options: [
      ['1', 'Red'],
      ['2', 'Blue'],
      ['z', 'Type your answer here'],
    ],
    answer: ['Red', '1'],
  },
  'opencode command': {
    recording: 'opencode-q2',
    mark: 'dialog-olive',
    question: 'Permission required',
    subject: './job.sh olive 3',
    options: OPENCODE_BUTTONS,
    answer: ['Reject', `${RIGHT}${RIGHT}\r`],
  },
  'opencode edit': {
    recording: 'opencode-oa',
    mark: 'dialog-edit',
    question: 'Permission required',
    subject: 'Edit hello.txt',
    options: OPENCODE_BUTTONS,
    answer: ['Allow once', '\r'],
  },
  'opencode question': {
    recording: 'opencode-oa',
    mark: 'dialog-question',
    question: 'Which amber colour do you like?',
    options: [
      ['1', 'Red'],
      ['2', 'Blue'],
      ['3', 'Type your own answer'],
    ],
    answer: ['Blue', '2'],
  },
  'opencode mini': {
    recording: 'opencode/tui-session-mini-silent',
    mark: 'permission-command',
    question: 'Shell command',
    subject: 'echo out-line-1; echo err-line-1 >&2; sleep 0.3; echo out-line-2',
    options: OPENCODE_BUTTONS,
    answer: ['Allow once', '\r'],
  },
};

/** Plays recordings, each in its own folder, in a program with the name of its agent. */
async function play(client: Client, folder: string, names: readonly string[]): Promise<Map<string, RecordedDialog>> {
  const dialogs = new Map<string, RecordedDialog>();
  for (const name of names) {
    const { recording, mark, options, answer } = DIALOGS[name]!;
    const own = join(folder, name.replaceAll(' ', '-'));
    mkdirSync(own);
    const [key] = options.find(([, label]) => label === answer[0])!;
    const played = new RecordedDialog(own, name.split(' ')[0]!, recording, mark, key.split(' ').length);
    await client.run({ command: [played.program], name, size: played.size, cwd: own });
    dialogs.set(name, played);
  }
  return dialogs;
}

const cardOf = (page: Page, name: string): Locator =>
  page.getByRole('article', { name: `${name} waits for you`, exact: true });

const answersOf = (page: Page, name: string): Locator =>
  cardOf(page, name).getByRole('group', { name: 'Answers' }).getByRole('button');

/** Returns the page's view of a dialog, in the form of the table. */
async function shownOf(page: Page, name: string): Promise<Pick<Dialog, 'question' | 'subject' | 'options'>> {
  const card = cardOf(page, name);
  const subject = card.locator('.subject');
  const options: (readonly [string, string])[] = [];
  for (const button of await answersOf(page, name).all())
    options.push([await button.locator('kbd').innerText(), await button.locator('span').innerText()]);
  return {
    question: await card.locator('.question').innerText(),
    ...((await subject.count()) > 0 && { subject: await subject.innerText() }),
    options,
  };
}

/** Returns a text without its wraps and frames. */
const flat = (text: string): string => text.replaceAll(/[\s│┃|]+/g, '');

testNeeding(NO_BROWSER)(
  '[PAGE-5] dialogs of five agents have their question, subject and options in the inbox, and an answer is its key, once',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      await using open = await openPage(daemon);
      const { page } = open;
      const played = await play(client, folder, Object.keys(DIALOGS));
      for (const [name, { question, subject, options, answer }] of Object.entries(DIALOGS)) {
        await cardOf(page, name).getByText(question, { exact: true }).waitFor({ timeout: WITHIN_MS });
        const expected = { name, question, ...(subject !== undefined && { subject }), options };
        let shown: unknown;
        await until(
          `${name} is whole`,
          async () => {
            shown = { name, ...(await shownOf(page, name)) };
            return JSON.stringify(shown) === JSON.stringify(expected);
          },
          20_000,
        ).catch(() => {}); // the check below has a better message
        expect(shown).toEqual(expected);
        const screen = flat((await client.screen(name)).content);
        for (const [, label] of options) expect([name, screen]).toEqual([name, expect.stringContaining(flat(label))]);

        const button = answersOf(page, name).filter({ has: page.getByText(answer[0], { exact: true }) });
        await button.click();
        await cardOf(page, name).waitFor({ state: 'detached', timeout: WITHIN_MS });
        expect([name, played.get(name)!.typed]).toEqual([name, answer[1]]);
      }
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  600_000,
);

testNeeding(NO_BROWSER)(
  '[PAGE-5] a dialog of any agent that is gone when the answer arrives gets no key',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      await using network = await BrowserNetwork.start();
      const client = await daemon.client();
      await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
      const { page } = open;
      const names = ['claude command', 'codex command', 'gemini command', 'grok command', 'opencode command'];
      const played = await play(client, folder, names);
      for (const name of names) await answersOf(page, name).first().waitFor({ timeout: WITHIN_MS });
      network.cut();
      for (const name of names) {
        const { pid } = await client.get(name);
        process.kill(pid!, 'SIGUSR2');
        await until('the dialog is gone', async () => (await client.get(name)).status.state !== 'blocked', WITHIN_MS);
      }
      // The page cannot know yet, and all are answered at once; also by Enter, because the button has the focus.
      const replies: Promise<unknown>[] = [];
      for (const name of names) {
        const [button] = await answersOf(page, name).all();
        await button!.press('Enter');
        replies.push(cardOf(page, name).getByRole('status').waitFor({ timeout: WITHIN_MS }));
      }
      await Promise.all(replies);
      network.heal();
      for (const name of names) await cardOf(page, name).waitFor({ state: 'detached', timeout: WITHIN_MS });
      for (const name of names) {
        await client.screen(name); // the daemon has read the earlier output
        expect([name, played.get(name)!.typed]).toEqual([name, '']);
      }
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  600_000,
);

/** Two commands in a row: the second dialog asks the same about another one. */
const IN_A_ROW: Readonly<Record<string, readonly [recording: string, first: string, second: string, subject: string]>> =
  {
    claude: ['claude-a', 'dialog-two-1', 'dialog-two-2', 'amber-right'],
    codex: ['codex-a', 'dialog-first', 'dialog-second', 'amber-dir'],
    gemini: ['gemini-a', 'dialog-two-1', 'dialog-two-2', 'amber-right'],
    grok: ['grok-ga', 'dialog-two-1', 'dialog-two-2', 'amber-right'],
    opencode: ['opencode-oa', 'dialog-two-1', 'dialog-two-2', 'amber-right'],
  };

testNeeding(NO_BROWSER)(
  '[PAGE-5] an answer to a dialog that has given way to the next one is not pressed there, for any agent',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      await using network = await BrowserNetwork.start();
      const client = await daemon.client();
      await using open = await openPage(daemon, { ...DESK, proxy: network.proxy });
      const { page } = open;
      const played = new Map<string, RecordedDialog>();
      for (const [agent, [recording, first, second]] of Object.entries(IN_A_ROW)) {
        const own = join(folder, `${agent}-in-a-row`);
        mkdirSync(own);
        const dialog = new RecordedDialog(own, agent, recording, first, 1, second);
        await client.run({ command: [dialog.program], name: agent, size: dialog.size, cwd: own });
        played.set(agent, dialog);
      }
      for (const agent of played.keys()) await answersOf(page, agent).first().waitFor({ timeout: WITHIN_MS });
      network.cut();
      for (const [agent, [, , , subject]] of Object.entries(IN_A_ROW)) {
        process.kill((await client.get(agent)).pid, 'SIGUSR2');
        const isNext = async (): Promise<boolean> =>
          (await client.get(agent)).status.question?.subject?.includes(subject) === true;
        await until(`${agent} asks about the next command`, isNext, WITHIN_MS);
      }
      for (const agent of played.keys()) {
        const [button] = await answersOf(page, agent).all();
        await button!.press('Enter');
        await cardOf(page, agent).getByText('Answering').waitFor({ timeout: WITHIN_MS });
      }
      network.heal();
      for (const [agent, [, , , subject]] of Object.entries(IN_A_ROW)) {
        await cardOf(page, agent).locator('.subject', { hasText: subject }).waitFor({ timeout: WITHIN_MS });
        await cardOf(page, agent).getByText('Answering').waitFor({ state: 'detached', timeout: WITHIN_MS });
      }
      for (const [agent, dialog] of played) {
        await client.screen(agent); // the daemon has read the earlier output
        expect([agent, dialog.typed]).toEqual([agent, '']);
      }
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  600_000,
);

testNeeding(NO_BROWSER)('[PAGE-5] after an answer, the next question of the same session can be answered', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
  try {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await using open = await openPage(daemon);
    const [recording, first, second, subject] = IN_A_ROW['claude']!;
    const dialog = new RecordedDialog(folder, 'claude', recording, first, 1, second);
    await client.run({ command: [dialog.program], name: 'claude', size: dialog.size, cwd: folder });
    await answersOf(open.page, 'claude').first().click({ timeout: WITHIN_MS });
    const card = cardOf(open.page, 'claude');
    await card.locator('.subject', { hasText: subject }).waitFor({ timeout: WITHIN_MS });
    await answersOf(open.page, 'claude').last().click({ timeout: WITHIN_MS }); // waits until the button is enabled
    await card.getByText('the question is still there').waitFor({ timeout: WITHIN_MS });
    expect(dialog.typed).toBe('14'); // the recording ends here
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

testNeeding(NO_BROWSER)('[PAGE-5] of two who answer at once one wins, and the other is told', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script =
    'read -r -p "Overwrite a.txt? [y/n] " key; echo "got $key"; read -r -t 5 more; echo "then [$more]"; sleep 1000';
  const session = await client.run({ command: ['bash', '-c', script], name: 'asks' });
  await client.waitUntil(session.id, 'blocked');
  await using desk = await openPage(daemon, DESK);
  await using phone = await openPage(daemon, PHONE);
  const buttons = [desk, phone].map(({ page }) =>
    page
      .getByRole('article', { name: 'asks waits for you' })
      .getByRole('group', { name: 'Answers' })
      .getByRole('button'),
  );
  const [yes, no] = [await buttons[0]!.nth(0).elementHandle(), await buttons[1]!.nth(1).elementHandle()];
  await Promise.all([yes!, no!].map((button) => button.evaluate((element: { click(): void }) => element.click())));
  const screen = async (): Promise<string> => (await client.screen(session.id)).content;
  await until('the second reader is over', async () => (await screen()).includes('then ['), WITHIN_MS);
  expect(await screen()).toMatch(/got [yn]\nthen \[\]/);
  const [winner, loser] = (await screen()).includes('got y') ? [desk, phone] : [phone, desk];
  await loser.page
    .getByText(/Someone was faster|answered by/)
    .first()
    .waitFor({ timeout: WITHIN_MS });
  expect([...winner.complaints, ...loser.complaints]).toEqual([]);
});
