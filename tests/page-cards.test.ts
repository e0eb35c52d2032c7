/** Tests the cards of an agent's conversation in a browser: what they show, where they begin, and how they are answered. */
// oxlint-disable typescript/no-explicit-any -- what runs in the page has the types of a browser
import { readFileSync } from 'node:fs';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';
import { got, play, startAgent, text, use } from './support/played-agent.ts';

afterAll(closeBrowser);

const WITHIN = { timeout: 60_000 };

const PATCH = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-return a - b;', '+return a + b;'] }];

testNeeding(NO_BROWSER)(
  '[CARD-1, CARD-2, CARD-43] cards have the texts, tools and changes of an agent, in the order of its events; code is highlighted in view',
  async () => {
    await using daemon = new TestDaemon();
    const reads = ['r1', 'r2', 'r3', 'r4'].flatMap((id) => [
      use(id, 'Read', { file_path: `/x/${id}.ts` }),
      got(id, 'a'),
    ]);
    const id = await play(daemon, 'ann', [
      text(
        'm1',
        `# What I found\n\nIt is **wrong**.\n\n| a | b |\n| --- | --- |\n| c | d |\n\n\`\`\`js\nlet a = 1;\n\`\`\``,
      ),
      // So long that the code above it is out of view at the end.
      text('m2', Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n\n')),
      ...reads,
      use('b1', 'Bash', { command: 'npm test' }),
      got('b1', '\u001b[31mone failed\u001b[0m\n<b>not bold</b>', { is_error: true }),
      use('e1', 'Edit', { file_path: '/x/add.js', old_string: 'a - b', new_string: 'a + b' }),
      { ...got('e1', 'done'), tool_use_result: { filePath: '/x/add.js', structuredPatch: PATCH } },
      use('t1', 'Task', { description: 'Review', prompt: 'Review it' }),
      use('g1', 'Grep', { pattern: 'inner search' }, 't1'),
      got('g1', 'nothing', {}, 't1'),
      got('t1', 'It is **right**.'),
    ]);
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('play is done').waitFor(WITHIN);
    expect(await log.getByRole('heading', { name: 'What I found' }).count()).toBe(1);
    expect(await log.locator('table td').allTextContents()).toContain('d');
    expect(await log.locator('strong, b', { hasText: 'not bold' }).count()).toBe(0);
    // Four reads are one card; the failed command is open, with its colours; the edit is folded.
    await log.getByText('Explored').waitFor(WITHIN);
    expect(await log.locator('.ansi-red').textContent()).toBe('one failed');
    expect(await log.locator('mark').count()).toBe(0);
    const edit = log.locator('.tool-card', { hasText: 'Edit' });
    await edit.locator('summary').first().click(WITHIN);
    expect(await edit.locator('mark').allTextContents()).toEqual(['-', '+']);
    await edit.getByText('Edited').waitFor(WITHIN);
    // What the subagent did is in the card of its tool.
    const task = log.locator('.tool-card', { hasText: 'Subagent' });
    await task.locator('summary').first().click(WITHIN);
    await task.locator('.tool-card', { hasText: 'inner search' }).waitFor(WITHIN);
    const seqs = await log
      .locator('.cards > [data-event-seq]')
      .evaluateAll((cards: any[]) => cards.map((card) => Number(card.dataset.eventSeq)));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));

    // The code is above the view: it is highlighted when it comes into view.
    const code = log.locator('.code-block', { hasText: 'let a = 1;' });
    expect(await code.locator('.hl-keyword').count()).toBe(0);
    await code.scrollIntoViewIfNeeded(WITHIN);
    await code.locator('.hl-keyword').waitFor(WITHIN);
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-5, CARD-6, CARD-11, CARD-40] a conversation of 3,600 messages opens at its end with a small part of its log; older cards do not move those in view, a card has an address, and is found; what is out of view is not laid out',
  async () => {
    await using daemon = new TestDaemon();
    const turns = Array.from({ length: 60 }, (_, turn) =>
      Array.from({ length: 60 }, (_, at) => text(`m-${turn}-${at}`, `message ${turn}-${at} ${'words '.repeat(20)}`)),
    );
    const id = await play(daemon, 'ann', ...turns);
    const { driver } = await (await daemon.client()).get(id);
    expect(driver!.offset).toBeGreaterThan(1024 * 1024);
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.getByRole('main').getByText('ann').first().waitFor(WITHIN);
    let bytes = 0;
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (bytes += payload.length)));
    await page.goto('about:blank');
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log', { name: 'What ann said and did' });
    await log.getByText('message 59-59').waitFor(WITHIN);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(300_000);
    expect(await log.getByText('message 0-0 ').count()).toBe(0);

    // The card in the middle of the view stays where it is while older ones are added.
    const first = async (): Promise<number> =>
      Number(await log.locator('[data-event-seq]').first().getAttribute('data-event-seq'));
    const before = await first();
    const moved = await log.evaluate(async (box: any) => {
      const frame = (): Promise<unknown> =>
        new Promise((later) => (globalThis as any).requestAnimationFrame(() => later(undefined)));
      const count = (): number => box.querySelectorAll('[data-event-seq]').length;
      box.scrollTop = 300;
      const middle = box.getBoundingClientRect().top + box.clientHeight / 2;
      const card = [...box.querySelectorAll('[data-event-seq]')].find(
        (each) => each.getBoundingClientRect().bottom > middle,
      );
      const cards = count();
      let top = 0;
      // The place in the last frame before the older cards, and in the first one with them.
      while (count() === cards) {
        top = card.getBoundingClientRect().top;
        await frame();
      }
      return card.getBoundingClientRect().top - top;
    });
    expect(Math.abs(moved)).toBeLessThan(40);
    expect(await first()).toBeLessThan(before);

    // Groups are few, each card is in the group of its number, and only those near the view are laid out.
    const groups = await log.locator('.cards').evaluateAll((boxes: any[]) =>
      boxes.map((box) => ({
        numbers: [...box.querySelectorAll('[data-event-seq]')].map((card: any) => card.dataset.eventSeq >> 6),
        isLaidOut: box.firstElementChild.checkVisibility({ contentVisibilityAuto: true }),
      })),
    );
    expect(groups.length).toBeGreaterThan(5);
    for (const { numbers } of groups) expect(new Set(numbers).size).toBe(1);
    expect(groups.filter(({ isLaidOut }) => isLaidOut).length).toBeLessThan(groups.length / 2);

    const target = (await first()) - 500;
    await page.goto(`${origin}/#/s/${id}/e/${target}`);
    const card = log.locator('[data-target]');
    await card.waitFor(WITHIN);
    expect(Number(await card.getAttribute('data-event-seq'))).toBeLessThanOrEqual(target);
    await until('it is in view', async () => {
      const box = await card.boundingBox();
      return box !== null && box.y > 0 && box.y < page.viewportSize()!.height;
    });
    await page.getByRole('button', { name: /To the end/ }).click(WITHIN);
    await until('the end is in view', () =>
      log.evaluate((box: any) => box.scrollTop + box.clientHeight >= box.scrollHeight - 100),
    );

    // The first message of all is found, and is then in view.
    await page.getByRole('button', { name: 'Find in the output' }).click(WITHIN);
    await page.getByRole('searchbox', { name: 'Find in the conversation' }).fill('MESSAGE 0-3 ');
    await page.getByRole('link', { name: /message 0-3 words/ }).click(WITHIN);
    await until('the found card is in view', async () => {
      const box = await log.locator('[data-target]', { hasText: 'message 0-3 ' }).boundingBox();
      return box !== null && box.y > 0 && box.y < page.viewportSize()!.height;
    });
    expect(open.complaints).toEqual([]);
  },
);

function received(daemon: TestDaemon, name: string): readonly any[] {
  const lines = readFileSync(`${daemon.home}/${name}.ndjson`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const answerTo = (daemon: TestDaemon, name: string, request: string): any =>
  received(daemon, name).find(({ response }) => response?.request_id === request)?.response.response;

testNeeding(NO_BROWSER)(
  '[CARD-7] a request is answered by its keys, but not while a user types, and denied with a reason; then the prompt has the focus',
  async () => {
    await using daemon = new TestDaemon();
    const ask = (id: string): object => ({ ask: { id, tool: 'Bash', input: { command: `echo ${id}` } } });
    const id = await startAgent(daemon, 'ann', `steps ${JSON.stringify([ask('one'), ask('two')])}`);
    await (await daemon.client()).waitUntil(id, 'blocked', { timeoutMs: WITHIN.timeout });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    const whole = page.getByRole('group', { name: 'The whole request' });
    await whole.getByText('echo one').waitFor(WITHIN);
    const allow = page.getByRole('button', { name: /^Allow/ });
    await until('it can be pressed', () => allow.isEnabled());
    await box.pressSequentially('any');
    expect(answerTo(daemon, 'ann', 'one')).toBeUndefined();
    await page.getByRole('log').focus();
    await page.keyboard.press('y');
    await until('it was allowed', () => answerTo(daemon, 'ann', 'one')?.behavior === 'allow');
    await whole.getByText('echo two').waitFor(WITHIN);
    await until('it can be pressed', () => allow.isEnabled());
    await page.getByRole('button', { name: 'Give a reason…' }).click(WITHIN);
    await page.getByRole('textbox', { name: 'Reason for the denial' }).fill('use printf');
    await page.keyboard.press('Enter');
    await until('it was denied', () => answerTo(daemon, 'ann', 'two')?.behavior === 'deny');
    expect(answerTo(daemon, 'ann', 'two').message).toContain('use printf');
    await until('the prompt has the focus', () =>
      box.evaluate((field: any) => field.ownerDocument.activeElement === field),
    );
    expect(await box.inputValue()).toBe('any');
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-7, CARD-16] keys choose the options of a request, "always" shows its rule, and an edited input is shown and sent as it is',
  async () => {
    await using daemon = new TestDaemon();
    const rule = { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'echo:*' }], behavior: 'allow' };
    const ask = (id: string): object => ({
      ask: {
        id,
        tool: 'Bash',
        input: { command: `echo ${id}`, timeout: 5 },
        suggestions: [{ ...rule, destination: 'session' }],
      },
    });
    const id = await startAgent(daemon, 'ann', `steps ${JSON.stringify(['one', 'two', 'three'].map(ask))}`);
    await (await daemon.client()).waitUntil(id, 'blocked', { timeoutMs: WITHIN.timeout });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const whole = page.getByRole('group', { name: 'The whole request' });
    const allow = page.getByRole('button', { name: /^Allow/ }).first();
    const isReady = async (request: string): Promise<void> => {
      await whole.getByText(`echo ${request}`).waitFor(WITHIN);
      await until('it can be pressed', () => allow.isEnabled());
    };
    await isReady('one');
    // The rule that "always" writes is a part of the request.
    expect((await whole.textContent())!.replaceAll(/\s+/g, '')).toContain('"ruleContent":"echo:*"');
    await page.getByRole('button', { name: 'Edit the input…' }).click(WITHIN);
    await page.getByRole('textbox', { name: 'command' }).fill('echo \u200bedited');
    await whole.getByText(String.raw`echo \u{200b}edited`).waitFor(WITHIN);
    expect(await whole.getByText('echo one').count()).toBe(0);
    await page.getByRole('button', { name: /^Allow.* with the edited input$/ }).click(WITHIN);
    await until('it was allowed', () => answerTo(daemon, 'ann', 'one')?.behavior === 'allow');
    expect(answerTo(daemon, 'ann', 'one').updatedInput).toEqual({ command: 'echo \u200bedited', timeout: 5 });
    expect(answerTo(daemon, 'ann', 'one').updatedPermissions).toBeUndefined();
    await isReady('two');
    await page.getByRole('log').focus();
    await page.keyboard.press('a');
    await until('it was allowed for good', () => answerTo(daemon, 'ann', 'two')?.behavior === 'allow');
    expect(answerTo(daemon, 'ann', 'two').updatedPermissions).toEqual([{ ...rule, destination: 'session' }]);
    await isReady('three');
    const labels = await page.getByRole('group', { name: 'Answers' }).locator('button[data-key]').allTextContents();
    const number = labels.findIndex((label) => label.includes('Deny')) + 1;
    await page.getByRole('log').focus();
    await page.keyboard.press(String(number));
    await until('it was denied', () => answerTo(daemon, 'ann', 'three')?.behavior === 'deny');
    expect(open.complaints).toEqual([]);
  },
);

testNeeding(NO_BROWSER)(
  '[CARD-15] the overview has the plan, the files, the turns and the context of a run, beside the cards and as a sheet',
  async () => {
    const { AxeBuilder } = await import('@axe-core/playwright');
    await using daemon = new TestDaemon();
    const todos = [
      { content: 'Find it', status: 'completed', activeForm: 'Finding it' },
      { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
    ];
    const id = await play(daemon, 'ann', [
      use('w1', 'TodoWrite', { todos }),
      got('w1', 'ok'),
      use('e1', 'Edit', { file_path: '/x/add.js', old_string: 'a - b', new_string: 'a + b' }),
      { ...got('e1', 'done'), tool_use_result: { filePath: '/x/add.js', structuredPatch: PATCH } },
      use('t1', 'Task', { description: 'Review the change', prompt: 'Review it' }),
      got('t1', 'right'),
    ]);
    for (const device of [DESK, PHONE]) {
      await using open = await openPage(daemon, device);
      const { page, origin } = open;
      await page.goto(`${origin}/#/s/${id}`);
      await page.getByRole('button', { name: 'Overview' }).click(WITHIN);
      const panel = page.getByRole('complementary', { name: 'Overview' });
      await panel.getByText('Mend it').waitFor(WITHIN);
      await panel.getByText('+1').waitFor(WITHIN);
      await panel.getByText('Review the change').waitFor(WITHIN);
      expect(await panel.getByRole('heading', { name: /^Turns/ }).count()).toBe(1);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
      await panel.getByRole('link', { name: '/x/add.js' }).click(WITHIN);
      await page.locator('[data-target]', { hasText: 'add.js' }).waitFor(WITHIN);
      await page.getByRole('button', { name: 'Close the overview' }).press('Escape');
      await panel.waitFor({ state: 'detached', ...WITHIN });
      expect(open.complaints).toEqual([]);
    }
  },
);

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

testNeeding(NO_BROWSER)(
  '[CARD-8, CARD-9] drafts survive a reload; images, earlier prompts, the queue and Escape work from the prompt box',
  async () => {
    await using daemon = new TestDaemon();
    const id = await startAgent(daemon, 'ann', 'say hello');
    await (await daemon.client()).waitUntil(id, 'idle', { timeoutMs: WITHIN.timeout });
    await using open = await openPage(daemon);
    const { page, origin } = open;
    await page.goto(`${origin}/#/s/${id}`);
    const box = page.getByRole('textbox', { name: 'Prompt for ann' });
    await box.fill('hang');
    await page.reload();
    await until('the draft is there', async () => (await box.inputValue(WITHIN)) === 'hang');
    const files = { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await page.locator('input[type=file]').setInputFiles(files);
    await page.getByRole('img', { name: 'Image 1' }).waitFor(WITHIN);
    await box.press('Enter');
    const log = page.getByRole('log');
    await log.getByRole('img', { name: 'Image 1 of the prompt' }).waitFor(WITHIN);
    expect(await box.inputValue()).toBe('');
    await until('it has the image', () =>
      received(daemon, 'ann').some(({ message }) => message?.content.some(({ type }: any) => type === 'image')),
    );
    await page.getByRole('button', { name: 'Interrupt' }).waitFor(WITHIN);

    for (const words of ['say first', 'say second']) {
      await box.fill(words);
      await box.press('Enter');
      await page.getByRole('list', { name: 'Queued prompts' }).getByText(words).waitFor(WITHIN);
    }
    const queue = page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem');
    await queue.nth(1).getByRole('button', { name: 'Move up' }).click(WITHIN);
    await until('it moved', async () => (await queue.first().textContent())!.includes('say second'));
    await queue.nth(1).getByRole('button', { name: 'Edit' }).click(WITHIN);
    await page.getByRole('textbox', { name: 'Edit the queued prompt' }).fill('say edited');
    await page.keyboard.press('Enter');
    await until('it was edited', async () => (await queue.nth(1).textContent())!.includes('say edited'));
    await queue.first().getByRole('button', { name: 'Remove' }).click(WITHIN);
    await until('it is gone', async () => (await queue.count()) === 1);
    await box.press('Escape');
    await log.getByText('Interrupted').waitFor(WITHIN);
    await log.getByText('edited', { exact: true }).waitFor(WITHIN);
    expect(received(daemon, 'ann').filter(({ message }) => message?.content[0].text === 'say second')).toEqual([]);
    await box.press('ArrowUp');
    expect(await box.inputValue()).toBe('say edited');
    await box.press('ArrowUp');
    expect(await box.inputValue()).toBe('hang');
    expect(open.complaints).toEqual([]);
  },
);
