/** Tests other servers on this machine with the same browser: credentials for one port do not work on another. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { TestDaemon } from '@spool/testkit';
import { NO_BROWSER, openProfile } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const WITHIN_MS = 60_000;

/** Starts a development server that the user has opened once. */
async function startNeighbour(): Promise<{ origin: string; received: IncomingHttpHeaders[] } & Disposable> {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>neighbour</title><body></body>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface AttackReport {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly databases: readonly string[];
}

/** The attempts of a script on another port; runs in the browser. */
const ATTACK = `async ([gateway, session]) => {
  const body = JSON.stringify({ text: 'pwned' });
  const path = gateway + '/api/sessions/' + session + '/input';
  const outcomes = {};
  const attempt = async (name, act) => {
    const late = new Promise((resolve) => setTimeout(resolve, 2000, 'no answer'));
    outcomes[name] = await Promise.race([act(), late]).catch((error) => 'failed ' + error.name);
  };
  const options = { method: 'POST', credentials: 'include', body };
  await attempt('no-cors', () => fetch(path, { ...options, mode: 'no-cors' }).then((answer) => answer.type));
  await attempt('json', () => fetch(path, { ...options, headers: { 'content-type': 'application/json' } }).then(String));
  await attempt('read', () => fetch(gateway + '/api/sessions', { credentials: 'include' }).then((answer) => answer.text()));
  await attempt('challenge', () => fetch(gateway + '/api/challenge', { method: 'POST', body: '{}' }).then((answer) => answer.text()));
  for (const protocols of [[], ['spool.v1'], ['spool.attach.v1']])
    await attempt('socket ' + protocols, () => new Promise((resolve) => {
      const socket = new WebSocket(gateway.replace('http', 'ws') + '/ws', protocols);
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('closed');
    }));
  await attempt('form', () => new Promise((resolve) => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.name = 'target';
    const form = document.body.appendChild(document.createElement('form'));
    Object.assign(form, { action: path, method: 'POST', enctype: 'text/plain', target: 'target' });
    form.append(Object.assign(document.createElement('input'), { name: '{"text":"pwned', value: '"}' }));
    frame.onload = () => resolve('sent');
    form.submit();
  }));
  await attempt('image', () => new Promise((resolve) => {
    Object.assign(new Image(), { src: gateway + '/api/sessions', onerror: () => resolve('closed'), onload: () => resolve('open') });
  }));
  return { outcomes, cookie: document.cookie, databases: (await indexedDB.databases()).map(({ name }) => name) };
}`;

testNeeding(NO_BROWSER)(
  '[DOOR-27] another server on this machine, opened in the same browser, gets nothing that opens the gateway',
  async () => {
    await using daemon = new TestDaemon();
    using neighbour = await startNeighbour();
    const profile = mkdtempSync(`${tmpdir()}/spool-profile-`);
    const client = await daemon.client();
    const { id } = await client.run({ command: ['cat'], name: 'target' });
    const gateway = await TestGateway.start(daemon);
    let browser = await openProfile(profile);
    try {
      const page = await browser.newPage();
      const isIn = async (open: typeof page): Promise<void> =>
        await open
          .getByRole('link', { name: /target/ })
          .first()
          .waitFor({ timeout: WITHIN_MS });
      await page.goto(gateway.url);
      await isIn(page);

      const other = await browser.newPage();
      await other.goto(neighbour.origin);
      const attack = `(${ATTACK})(${JSON.stringify([gateway.origin, id])})`;
      const tried = (await other.evaluate(attack)) as AttackReport;
      const { outcomes, cookie, databases } = tried;
      expect(Object.values(outcomes).filter((outcome) => outcome === 'open' || outcome.includes('target'))).toEqual([]);
      expect([cookie, databases]).toEqual(['', []]);
      expect((await client.get(id)).offset).toBe(0);
      // All headers that the browser sends to that server, replayed by a program that can set any header.
      await other.reload();
      for (const { cookie: stolen = `spool_${gateway.port}=x` } of neighbour.received) {
        const headers = { cookie: stolen, origin: gateway.origin, 'sec-fetch-site': 'same-origin' };
        expect((await gateway.ask('/api/sessions', { headers })).status).toBe(401);
        expect((await gateway.ask(`/api/sessions/${id}/input`, { headers, body: { text: 'pwned' } })).status).toBe(401);
        await expect(gateway.socket(headers)).rejects.toThrow('refused with 401');
      }
      expect((await client.get(id)).offset).toBe(0);

      // The user is not disturbed: a reload, a second tab, the browser closed and opened again.
      await page.reload();
      await isIn(page);
      const second = await browser.newPage();
      await second.goto(gateway.origin);
      await isIn(second);
      await browser.close();
      browser = await openProfile(profile);
      const later = await browser.newPage();
      await later.goto(gateway.origin);
      await isIn(later);
      expect((await client.doors.tokens()).filter(({ kind }) => kind === 'device')).toHaveLength(1);
    } finally {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    }
  },
);

testNeeding(NO_BROWSER)(
  '[DOOR-58, DOOR-59] the key of a browser cannot be read, and a pass ends with its device',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await client.run({ command: ['cat'], name: 'target' });
    const gateway = await TestGateway.start(daemon);
    const profile = mkdtempSync(`${tmpdir()}/spool-profile-`);
    const browser = await openProfile(profile);
    try {
      const page = await browser.newPage();
      const passes: string[] = [];
      page.on('request', (request) => {
        const pass = /^Bearer (\S+)$/.exec(request.headers().authorization ?? '')?.[1];
        if (pass !== undefined) passes.push(pass);
        expect(request.url()).not.toContain('spoolpass_');
      });
      await page.goto(gateway.url);
      await page
        .getByRole('link', { name: /target/ })
        .first()
        .waitFor({ timeout: WITHIN_MS });
      await page.goto(`${gateway.origin}/#/settings`);
      await page.getByText('may do everything').waitFor({ timeout: WITHIN_MS });
      const key = await page.evaluate(`(async () => {
        const opening = indexedDB.open('spool', 1);
        const database = await new Promise((resolve) => { opening.onsuccess = () => resolve(opening.result); });
        const reading = database.transaction('devices').objectStore('devices').get('/');
        const found = await new Promise((resolve) => { reading.onsuccess = () => resolve(reading.result); });
        const tried = await Promise.all(['jwk', 'pkcs8', 'raw'].map((format) =>
          crypto.subtle.exportKey(format, found.privateKey).then(() => 'exported', (error) => error.name)));
        database.close();
        return { names: Object.keys(found).sort(), tried, stored: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) };
      })()`);
      expect(key).toMatchObject({
        names: ['device', 'privateKey'],
        tried: ['InvalidAccessError', 'InvalidAccessError', 'InvalidAccessError'],
      });
      expect(JSON.stringify(key)).not.toContain('spoolpass_');
      const headers = { authorization: `Bearer ${passes.at(-1)}`, origin: gateway.origin };
      expect((await gateway.ask('/api/me', { headers })).status).toBe(200);
      const socket = await gateway.socket(headers);
      const [device] = (await client.doors.tokens()).filter(({ kind }) => kind === 'device');
      await client.doors.revokeToken(device!.id);
      expect(await socket.closed).toBe(4001);
      expect((await gateway.ask('/api/me', { headers })).status).toBe(401);
      await page.getByRole('heading', { name: 'Open this page from your terminal' }).waitFor({ timeout: WITHIN_MS });
      await page.reload();
      await page.getByRole('heading', { name: 'Open this page from your terminal' }).waitFor({ timeout: WITHIN_MS });
    } finally {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    }
  },
);
