/**
 * Tests every card of a conversation, and a request, with hostile content: at three sizes and in both themes they run nothing, load
 * nothing, stay inside the page, and can be read.
 */
// oxlint-disable typescript/no-explicit-any -- what runs in the page has the types of a browser
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openPage } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { seriousFindings } from './support/accessibility.ts';
import { got, play, said, takeTurns, text, use, type WireMessage } from './support/played-agent.ts';

afterAll(closeBrowser);

const WITHIN = { timeout: 60_000 };
const MEGABYTE = 'x'.repeat(1024 * 1024);
const NAME = 'N'.repeat(3000);
/** HTML, links to scripts, escapes of terminals, text in both directions, marks that turn it, and a name without a break. */
const EVIL = [
  '<script>alert(1)</script><img src=x onerror=alert(1)><iframe src=//evil.example></iframe>',
  '[click](javascript:alert(1)) ![image](https://evil.example/x.png) <javascript:alert(1)> [https://good.example](data:text/html,x)',
  '\u001b[31mred\u001b[0m \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007 \u001b]52;c;aGk=\u0007 \u009b31m',
  'bidi \u202egnp.exe\u202c \u2066x\u2069 zero\u200bwidth عربي עברית',
].join(' ');
const LINES = `${EVIL}\n${NAME}\n${'\u001b[1;32m█'.repeat(400)}`;

const system = (subtype: string, more: object): WireMessage => ({ type: 'system', subtype, ...more });

const PATCH = {
  filePath: `/x/${EVIL}.js`,
  structuredPatch: [
    { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [`-${EVIL}`, `+${EVIL} ${NAME}`, `-${NAME}`] },
  ],
};

const TALK: readonly WireMessage[] = [
  said('think', { type: 'thinking', thinking: LINES }),
  text(
    'words',
    `# ${EVIL}\n\n- ${EVIL}\n\n> ${EVIL}\n\n| ${EVIL} | b |\n| --- | --- |\n| ${NAME} | ${EVIL} |\n\n${NAME}`,
  ),
  text('code', `\`\`\`${NAME}\n${EVIL}\n\`\`\`\n\n\`\`\`js\n${NAME}\n\`\`\``),
  use('run', 'Bash', { command: `${EVIL} ${NAME}` }),
  got('run', LINES, { is_error: true }),
  use('read', 'Read', { file_path: `/x/${NAME}/${EVIL}` }),
  got('read', LINES),
  use('grep', 'Grep', { pattern: EVIL }),
  got('grep', LINES),
  use('web', 'WebFetch', { url: 'javascript:alert(1)', prompt: EVIL }),
  got('web', LINES),
  use('edit', 'Edit', { file_path: `/x/${EVIL}.js`, old_string: EVIL, new_string: NAME }),
  { ...got('edit', EVIL), tool_use_result: PATCH },
  use('tree', `mcp__${NAME}__${EVIL}`, { [EVIL]: { [NAME]: [EVIL] } }),
  got('tree', JSON.stringify({ [EVIL]: [NAME, { [NAME]: EVIL }] })),
  use('task', 'Task', { description: EVIL, prompt: LINES, subagent_type: EVIL }),
  use('inner', EVIL, { [NAME]: EVIL }, 'task'),
  got('inner', LINES, {}, 'task'),
  got('task', LINES),
  use('todo', 'TodoWrite', { todos: [{ content: `${EVIL} ${NAME}`, status: 'in_progress', activeForm: EVIL }] }),
  got('todo', 'ok'),
  use('plan', 'ExitPlanMode', { plan: LINES }),
  got('plan', EVIL),
  system('informational', { content: `${EVIL} ${NAME}`, level: 'warning' }),
  system('api_retry', { attempt: 1, max_retries: 3, error: `${EVIL} ${NAME}`, error_status: 529 }),
  system('hook_response', { hook_id: 'h', hook_name: EVIL, exit_code: 2, output: LINES }),
  system('compact_boundary', { compact_metadata: { pre_tokens: 100, post_tokens: 10 } }),
  system('task_started', { task_id: 'b', description: `${EVIL} ${NAME}`, task_type: EVIL }),
  { type: 'result', subtype: 'error_during_execution', is_error: true, errors: [`${EVIL} ${NAME}`] },
];

/** Lines of a megabyte, in each kind of body. */
const LONG: readonly WireMessage[] = [
  text('line', MEGABYTE),
  text('code', `\`\`\`js\n${MEGABYTE}\n\`\`\``),
  use('run', 'Bash', { command: `echo ${MEGABYTE}` }),
  got('run', MEGABYTE, { is_error: true }),
  use('edit', 'Edit', { file_path: '/x/a.js', old_string: 'a', new_string: 'b' }),
  {
    ...got('edit', 'no', { is_error: true }),
    tool_use_result: { ...PATCH, structuredPatch: [{ ...PATCH.structuredPatch[0], lines: [`+${MEGABYTE}`] }] },
  },
  use('tree', 'mcp__a__b', { [MEGABYTE]: MEGABYTE }),
  got('tree', JSON.stringify({ a: MEGABYTE }), { is_error: true }),
];

const ASK = [{ ask: { id: 'r', tool: 'Write', input: { file_path: `/x/${NAME}`, content: `${LINES}` } } }];

const KINDS = ['message', 'note', 'prompt', 'thinking', 'tool', 'turn'];

const VIEWS = [
  { size: { width: 1440, height: 900 }, colorScheme: 'dark', rules: 'all' },
  { size: { width: 1440, height: 900 }, colorScheme: 'light', rules: 'colours' },
  { size: { width: 834, height: 1112 }, colorScheme: 'light', rules: null },
  { size: { width: 834, height: 1112 }, colorScheme: 'dark', rules: null },
  { size: { width: 390, height: 844 }, colorScheme: 'dark', rules: 'colours' },
  { size: { width: 390, height: 844 }, colorScheme: 'light', rules: 'all' },
] as const;

/** Returns what would be wrong with the cards of the page: something is too wide, or an element that nothing should make. */
const faultsOf = (page: Page): Promise<any> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as any;
    const box = document.querySelector('.conversation');
    const { left, right } = box.getBoundingClientRect();
    const outside = [...box.querySelectorAll('.card')].filter((card) => {
      const rect = card.getBoundingClientRect();
      return rect.left < left - 1 || rect.right > right + 1;
    });
    return {
      isWide: document.documentElement.scrollWidth > innerWidth || box.scrollWidth > box.clientWidth,
      outside: outside.map((card) => card.className),
      elements: box.querySelectorAll('script, iframe, object, embed, style, img, form').length,
      links: [...document.querySelectorAll('main a')]
        .map((link: any) => link.protocol)
        .filter((protocol) => protocol !== 'http:' && protocol !== 'https:'),
    };
  });

/** Reads the older parts, which are read when they come into view, up to the first prompt. */
const readAll = (log: Locator): Promise<void> =>
  until('all parts are read', async () => {
    await log.evaluate((box: any) => (box.scrollTop = 0));
    return (await log.getByText(/^play \//).count()) === 1;
  });

const NONE = { isWide: false, outside: [], elements: 0, links: [] };

testNeeding(NO_BROWSER)(
  '[CARD-41, PAGE-7, PAGE-8, PAGE-35] every card and a request with hostile content: nothing runs or is loaded, nothing is wider than the page, and axe finds nothing serious',
  async () => {
    await using daemon = new TestDaemon();
    const id = await play(daemon, 'ann', TALK);
    const long = await play(daemon, 'bob', LONG);
    const client = await daemon.client();
    // The play ends with an error, and the agent then ends its turn once more.
    await takeTurns(daemon, id, 2, [`say ${EVIL} ${NAME}`]);
    await client.update(id, { name: EVIL.slice(0, 100).replaceAll(/[^ -~]/g, '') });
    await (await client.openAgent(id)).prompt(`steps ${JSON.stringify(ASK)}`);
    await client.waitUntil(id, 'blocked', { timeoutMs: WITHIN.timeout });

    await using open = await openPage(daemon, { viewport: VIEWS[0].size });
    const { page, origin } = open;
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('blob:')) loaded.push(request.url());
    });
    page.on('dialog', (dialog) => loaded.push(dialog.message()));
    await page.goto(`${origin}/#/s/${id}`);
    const log = page.getByRole('log');
    await log.locator('[data-state="waiting"]').waitFor(WITHIN);
    await page
      .getByRole('button', { name: /^Allow/ })
      .first()
      .waitFor(WITHIN);
    await page.getByRole('checkbox', { name: 'All notices' }).check(WITHIN);
    await readAll(log);
    // Every fold is opened, also those inside of others.
    await log.evaluate(async (box: any) => {
      const closed = (): any[] => [...box.querySelectorAll('details:not([open]) > summary')];
      for (let rounds = 0; rounds < 20 && closed().length > 0; rounds++) {
        for (const summary of closed()) summary.click();
        await new Promise((later) => (globalThis as any).requestAnimationFrame(later));
      }
    });
    expect(await log.locator('details:not([open])').count()).toBe(0);
    const kinds = await log
      .locator('.card')
      .evaluateAll((cards: any[]) => [...new Set(cards.map(({ className }) => className))]);
    expect(kinds.toSorted()).toEqual(KINDS.map((kind) => `card ${kind}-card`));
    for (const { size, colorScheme, rules } of VIEWS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      expect(await faultsOf(page), `${size.width} ${colorScheme}`).toEqual(NONE);
      if (rules !== null) expect(await seriousFindings(page, rules), `${size.width} ${colorScheme}`).toEqual([]);
    }
    const shown = (await log.textContent())!;
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).toContain(String.raw`\u{202e}gnp.exe`);
    // What a terminal would obey, and marks that cannot be seen.
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/);

    // Lines of a megabyte, on the narrowest screen.
    await page.goto(`${origin}/#/s/${long}`);
    await log.getByText('play is done').waitFor(WITHIN);
    await readAll(log);
    expect(await faultsOf(page)).toEqual(NONE);
    expect(loaded).toEqual([]);
    expect(open.complaints).toEqual([]);
  },
);
