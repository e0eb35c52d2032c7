/**
 * Starts a real browser for tests: Debian's Chromium, driven by playwright-core, without the browser's own network traffic.
 *
 * Each test has its own context (cookies, storage). Complaints of the page are collected: a violation of the content policy or an
 * uncaught error fails the test that caused it.
 */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestDaemon } from './daemon.ts';
import { missingProgram } from './needs.ts';

export const NO_BROWSER = missingProgram('chromium');

export const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

const PROGRAM = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

let browser: Browser | undefined;

async function launched(): Promise<Browser> {
  browser ??= await chromium.launch(PROGRAM);
  return browser;
}

/** Opens a separate browser whose profile is in a folder: it can be closed and opened again. */
export async function openProfile(folder: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(folder, { ...PROGRAM, ...DESK });
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Policy violations and uncaught errors, so far. */
  readonly complaints: readonly string[];
  /** The origin of the gateway, without the code. */
  readonly origin: string;
}

/** Opens a page, signed in by the launch address, like a user. */
export async function openPage(daemon: TestDaemon, options: BrowserContextOptions = DESK): Promise<OpenPage> {
  const { url } = await daemon.json<{ url: string }>('web', '--no-open', '--port', daemon.gatewayPort);
  const context = await (await launched()).newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    complaints,
    origin: new URL(url).origin,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/**
 * Presses the button that a view shows before it starts a program, until the press has an effect: the button ignores presses at
 * first.
 */
export async function passGate(page: Page): Promise<void> {
  const gate = page.locator('.after-gesture button');
  await gate.waitFor();
  while ((await gate.count()) > 0) await gate.click({ timeout: 1000 }).catch(() => {}); // it has just left
}

/** Returns the rows that the terminal on the page shows, without the blanks at their ends. */
export async function rowsOn(page: Page): Promise<string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll(' ', ' ').trimEnd());
}

/** Sets the visibility that the browser reports to the page when another tab is in front. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    const { document, Event } = globalThis as unknown as {
      document: { dispatchEvent(event: object): void };
      Event: new (type: string) => object;
    };
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: hidden ? 'hidden' : 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}
