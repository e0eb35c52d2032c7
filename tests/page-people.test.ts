/**
 * Tests the accessibility of the page: by the browser's accessibility tree alone, at 200 % zoom, and without findings of axe on
 * any view.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, NO_BROWSER, openPage, PHONE, passGate } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { seriousFindings } from './support/accessibility.ts';

afterAll(closeBrowser);

const WITHIN_MS = 60_000;
const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

interface AxNode {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
  readonly backendDOMNodeId?: number;
}

/** Reads and acts by roles and names, like assistive technology: the structure of the document is not used. */
class AssistiveUser {
  readonly #page: Page;
  readonly #cdp: CDPSession;

  private constructor(page: Page, cdp: CDPSession) {
    this.#page = page;
    this.#cdp = cdp;
  }

  static async at(page: Page): Promise<AssistiveUser> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Accessibility.enable');
    return new AssistiveUser(page, cdp);
  }

  async find(role: string, name: RegExp, within?: { readonly role: string; readonly name: RegExp }): Promise<AxNode> {
    let found: AxNode | undefined;
    await until(
      `there is a ${role} ${name}`,
      async () => {
        const { nodes } = (await this.#cdp.send('Accessibility.getFullAXTree')) as { nodes: readonly AxNode[] };
        const byId = new Map(nodes.map((node) => [node.nodeId, node]));
        const isInside = (node: AxNode): boolean => {
          if (within === undefined) return true;
          for (let at = byId.get(node.parentId ?? ''); at !== undefined; at = byId.get(at.parentId ?? ''))
            if (isNamed(at, within.role, within.name)) return true;
          return false;
        };
        found = nodes.find((node) => isNamed(node, role, name) && isInside(node));
        return found !== undefined;
      },
      WITHIN_MS,
    );
    return found!;
  }

  async focus(node: AxNode): Promise<void> {
    await this.#cdp.send('DOM.focus', { backendNodeId: node.backendDOMNodeId! });
  }

  async press(node: AxNode): Promise<void> {
    await this.focus(node);
    await this.#page.keyboard.press('Enter');
  }
}

function isNamed(node: AxNode, role: string, name: RegExp): boolean {
  return !node.ignored && node.role?.value === role && name.test(String(node.name?.value ?? ''));
}

testNeeding(NO_BROWSER)(
  '[PAGE-14] the main way works by the accessibility tree alone: find what waits, answer, open, type, read, leave',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script =
      'read -r -p "Overwrite a.txt? [y/n] " key; echo "got $key"; read -r line; echo "read $line"; sleep 1000';
    const { id } = await client.run({ command: ['bash', '-c', script], name: 'asks' });
    await client.run({ command: ['bash', '-c', 'exec sleep 1000'], name: 'quiet' });
    await client.waitUntil(id, 'blocked');
    await using open = await openPage(daemon);
    const user = await AssistiveUser.at(open.page);
    await user.find('heading', /^One session waits for you$/);
    const card = { role: 'article', name: /^asks waits for you$/ };
    await user.find('StaticText', /Overwrite a\.txt\?/, card);
    await user.press(await user.find('button', /^yes$/, card));
    await user.find('heading', /^Nothing waits for you$/);
    await until('it is answered', async () => (await client.screen(id)).content.includes('got y'), WITHIN_MS);
    await user.press(await user.find('link', /asks/, { role: 'navigation', name: /^Sessions$/ }));
    await user.find('heading', /^asks$/);
    await user.focus(await user.find('textbox', /^Terminal input/));
    await open.page.keyboard.type('by ear\n');
    await until('it was typed', async () => (await client.screen(id)).content.includes('read by ear'), WITHIN_MS);
    await user.press(await user.find('link', /^Text$/, { role: 'navigation', name: /^Views$/ }));
    await user.find('StaticText', /read by ear/, { role: 'log', name: /^Output of asks$/ });
    await user.find('status', /.*/);
    await user.press(await user.find('link', /^Spool$/));
    await user.find('heading', /^Nothing waits for you$/);
    expect(open.complaints).toEqual([]);
  },
);

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  'مراجعة قاعدة البيانات',
  '🦊 fox',
  `long ${'x'.repeat(90)}`,
  'zero\u200bwidth\u202egnp.exe',
];

/** Starts a session of each kind, with hostile names. */
async function everything(daemon: TestDaemon): Promise<readonly string[]> {
  const client = await daemon.client();
  const cwd = join(daemon.home, 'work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.ts'), 'const a = 1;\n');
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(cwd, 'a.ts'), `const a = 2;\n// ${'long '.repeat(60)}\n`);
  for (const name of HOSTILE)
    await client.run({ command: ['bash', '-c', 'ls -l --color=always; exec sleep 1000', name], name, cwd });
  const ask =
    'read -r -p "Overwrite a very long name of a file that nobody has ever seen? [y/n] " key; exec sleep 1000';
  const { id } = await client.run({ command: ['bash', '-c', ask], name: 'asks', cwd });
  await client.run({ command: ['bash', '-c', 'echo on pipes; exec sleep 1000'], name: 'pipes', size: null, cwd });
  await client.run({ command: ['sh', '-c', 'exit 3'], name: 'fails', cwd, isTask: true });
  const program = `${execPath} ${AGENT} ${daemon.home}/agent.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--name', 'agent', '--program', program];
  const agent = await daemon.json<{ id: string }>('run', ...flags, '--', 'ask 1');
  await client.waitUntil(id, 'blocked');
  await client.waitUntil(agent.id, 'blocked', { timeoutMs: WITHIN_MS });
  const views = ['', '/time', '/text', '/files', '/files/a.ts/1', '/changes', '/summary'];
  return ['#/', '#/start', ...views.map((view) => `#/s/${id}${view}`), `#/s/${agent.id}`];
}

/** Resolves when no dialog or card fades in any more: half-transparent text has too little contrast. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    interface Animation {
      readonly finished: Promise<unknown>;
      readonly effect: { getComputedTiming(): { iterations: number } };
    }
    const web = globalThis as unknown as { document: { getAnimations(): readonly Animation[] } };
    const ending = web.document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().iterations));
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

testNeeding(NO_BROWSER)(
  '[PAGE-7] no view has serious findings of axe, in either theme, with hostile names and with each dialog open',
  async () => {
    await using daemon = new TestDaemon();
    const addresses = await everything(daemon);
    for (const colorScheme of ['dark', 'light'] as const) {
      await using open = await openPage(daemon, { ...DESK, colorScheme });
      const { page, origin } = open;
      const check = async (where: string): Promise<void> => {
        await settled(page);
        const serious = await seriousFindings(page, colorScheme === 'dark' ? 'all' : 'colours');
        expect(serious.map((found) => [where, colorScheme, ...found])).toEqual([]);
      };
      for (const hash of addresses) {
        await page.goto(`${origin}/${hash}`);
        await page.locator('.main h1').first().waitFor();
        await page.locator('.loading').waitFor({ state: 'detached', timeout: WITHIN_MS });
        await check(hash);
        if ((await page.locator('.after-gesture').count()) === 0) continue;
        await passGate(page);
        await page.locator('.loading').waitFor({ state: 'detached', timeout: WITHIN_MS });
        await check(`${hash}, opened`);
      }
      await page.goto(`${origin}/#/`);
      await page.getByRole('heading', { name: /wait for you/ }).waitFor();
      for (const [key, dialog] of [
        ['Control+k', 'Find'],
        ['?', 'Keys'],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await check(dialog);
        // The next key comes at once: between the end of a dialog and its `close` event, keys are the page's again.
        await page.keyboard.press('Escape');
      }
      await page.goto(`${origin}/${addresses[2]}`);
      for (const act of ['Share…', 'Kill…']) {
        await page.getByLabel('What can be done with asks').click();
        await page.getByRole('button', { name: act }).click();
        await page.getByRole(act === 'Share…' ? 'dialog' : 'alertdialog').waitFor();
        await check(act);
        await page.keyboard.press('Escape');
      }
      expect(open.complaints).toEqual([]);
    }
  },
);

testNeeding(NO_BROWSER)(
  '[PAGE-35] at 200 % zoom and on a phone nothing is wider than the screen, whatever sessions are called',
  async () => {
    await using daemon = new TestDaemon();
    const addresses = await everything(daemon);
    // A zoom of 200 % is a screen of half the size with twice the pixels.
    for (const options of [{ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, PHONE]) {
      await using open = await openPage(daemon, options);
      const { page, origin } = open;
      for (const hash of addresses) {
        await page.goto(`${origin}/${hash}`);
        await page.locator('.main h1').first().waitFor();
        await page.locator('.loading').waitFor({ state: 'detached', timeout: WITHIN_MS });
        const wider = await page.evaluate(() => {
          const { document, innerWidth } = globalThis as unknown as {
            innerWidth: number;
            document: {
              documentElement: { scrollWidth: number };
              querySelector(text: string): { scrollWidth: number; clientWidth: number };
            };
          };
          const main = document.querySelector('.main');
          return [document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth];
        });
        expect([hash, ...wider.map((px) => px > 0)]).toEqual([hash, false, false]);
      }
    }
  },
);
