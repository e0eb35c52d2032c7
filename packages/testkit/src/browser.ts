/**
 * A real browser for tests: Debian's Chromium, driven by playwright-core, with nothing of its own network traffic.
 *
 * Each test has its own context (cookies, storage). What the page complains about is collected: a violation of the
 * content policy or an uncaught error fails the test that caused it.
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
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

let browser: Browser | undefined;

async function launched(): Promise<Browser> {
  browser ??= await chromium.launch({
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
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Policy violations and uncaught errors, so far. */
  readonly complaints: readonly string[];
  /** Where the gateway is, without the code. */
  readonly origin: string;
}

/** Signed in by the launch address, as a user is. */
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

/** The rows that the terminal on the page shows, without the blanks at their ends. */
export async function rowsOn(page: Page): Promise<string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll(' ', ' ').trimEnd());
}

/** As the browser tells the page when another tab is in front. */
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
