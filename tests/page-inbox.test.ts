/** Dialogs of real agents in the inbox, from recordings, and what an answer presses. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';

afterAll(closeBrowser);

const WITHIN_MS = 120_000;
const MARKS = fileURLToPath(new URL('./fixtures/marks/', import.meta.url));

interface Dialog {
  readonly recording: string;
  readonly mark: string;
  readonly question: string;
  readonly subject?: string;
  readonly options: readonly string[];
}

/** As the agent has them on its screen; each option with the key that the page names. */
const DIALOGS: Readonly<Record<string, Dialog>> = {
  claude: {
    recording: 'claude-a',
    mark: 'dialog-bash',
    question: 'Do you want to proceed?',
    subject: 'sleep 3; touch amber-1.txt',
    options: [
      '1Yes',
      '2Yes, and always allow access to /home/user/project from this project',
      '3Yes, and switch to auto mode · auto mode handles these prompts for you',
      '4No',
    ],
  },
  codex: {
    recording: 'codex-a',
    mark: 'dialog-command',
    question: 'Would you like to run the following command?',
    subject: 'sleep 3 && touch /home/user/amber-1.txt && echo done',
    options: [
      'yYes, proceed',
      "pYes, and don't ask again for commands that start with `sleep 3`",
      'escNo, and tell Codex what to do differently',
    ],
  },
  gemini: {
    recording: 'gemini-n3',
    mark: 'dialog-long-command-early',
    question: 'Allow execution of [Shell]?',
    subject: './job.sh beta 5 && echo',
    options: ['1Allow once', '2Allow for this session', 'escNo, suggest changes'],
  },
  grok: {
    recording: 'grok-n1',
    mark: 'dialog-edit-early',
    question: 'Allow Edit to /home/user/project/notes.md?',
    subject: 'notes.md',
    options: [
      "1Yes, and don't ask again for anything (always-approve mode)",
      '2Yes, allow all edits during this session',
      '3Yes',
      '4No, reject (type to add feedback)',
    ],
  },
  opencode: {
    recording: 'opencode-oa',
    mark: 'dialog-question',
    question: 'Which amber colour do you like?',
    options: ['1Red', '2Blue', '3Type your own answer'],
  },
};

/** Without what wraps and frames it. */
const flat = (text: string): string => text.replaceAll(/[\s│┃|]+/g, '');

/** A program with the name of the agent that prints the recording up to the dialog, and then writes down each key. */
function player(
  folder: string,
  name: string,
  { recording, mark }: Dialog,
): { program: string; size: { cols: number; rows: number } } {
  const unpacked = (ending: string): Buffer => gunzipSync(readFileSync(`${MARKS}${recording}.${ending}.gz`));
  const { cols, rows, events } = JSON.parse(unpacked('json').toString()) as {
    cols: number;
    rows: number;
    events: unknown[][];
  };
  const end = events.find(([, type, label]) => type === 'm' && label === mark)![3] as number;
  writeFileSync(join(folder, `${name}.pty`), unpacked('pty').subarray(0, end));
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/bash\nstty raw -echo\ncat ${program}.pty\nexec cat > ${program}.keys\n`);
  chmodSync(program, 0o755);
  return { program, size: { cols, rows } };
}

testNeeding(NO_BROWSER)(
  '[PAGE-5] dialogs of five agents have their question, subject and options in the inbox, and an answer is one key',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
    try {
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      const ids = new Map<string, string>();
      for (const [name, dialog] of Object.entries(DIALOGS)) {
        const { program, size } = player(folder, name, dialog);
        ids.set(name, (await client.run({ command: [program], name, size })).id);
      }
      await using open = await openPage(daemon);
      const { page } = open;
      const [shown, expected]: [unknown[], unknown[]] = [[], []];
      for (const [name, { question, subject, options }] of Object.entries(DIALOGS)) {
        const card = page.getByRole('article', { name: `${name} waits for you` });
        await card.getByText(question).first().waitFor({ timeout: WITHIN_MS });
        if (subject !== undefined) expect(await card.locator('.subject').textContent()).toContain(subject);
        const labels = await card.getByRole('group', { name: 'Answers' }).getByRole('button').allTextContents();
        shown.push([name, labels]);
        const screen = flat((await client.screen(ids.get(name)!)).content);
        for (const label of labels) expect(screen).toContain(flat(label.replace(/^(\d|y|p|esc)/, '')));
        expected.push([name, options]);
      }

      expect(shown).toEqual(expected);

      const keys = join(folder, 'claude.keys');
      await until('the program reads', () => existsSync(keys), WITHIN_MS);
      const before = readFileSync(keys, 'latin1'); // answers of the daemon to what the recording asks
      const card = page.getByRole('article', { name: 'claude waits for you' });
      await card.getByRole('button', { name: 'Yes', exact: true }).click();
      await card.getByText('The key was pressed, but the question is still there.').waitFor({ timeout: WITHIN_MS });
      expect(readFileSync(keys, 'latin1').slice(before.length)).toBe('1');
      expect(open.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

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
    .getByText(/Somebody was faster|answered by/)
    .first()
    .waitFor({ timeout: WITHIN_MS });
  expect([...winner.complaints, ...loser.complaints]).toEqual([]);
});
