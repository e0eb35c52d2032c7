/// <reference lib="dom" />
/**
 * Measures the cards of an agent on the page, by the browser's own counters: `npm run bench -- page-agent`. Script and tasks are CPU times
 * of the page's main thread, so other work on the machine changes them little.
 */
import { writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, DESK, openPage } from '@spool/testkit/browser';
import type { CDPSession, Page } from 'playwright-core';
import { figure, type Figure, median } from './figure.ts';
import { counters, longestTaskMs } from './page-counters.ts';

const AGENT = fileURLToPath(new URL('../programs/scripted-agent.mjs', import.meta.url));
const WITHIN_MS = 240_000;
const LOOK_MS = 5000;

type WireMessage = Readonly<Record<string, unknown>>;

const said = (id: string, content: object): WireMessage => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, role: 'assistant', content: [content] },
});
const got = (tool_use_id: string, content: string, more: object = {}): WireMessage => ({
  type: 'user',
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] },
  ...more,
});

const TURNS = 55;
const CARDS_PER_TURN = 80;
const EVENTS_MIN = 10_000;

/** A turn of messages, commands with output, and changes. */
function turn(at: number): readonly WireMessage[] {
  return Array.from({ length: CARDS_PER_TURN }, (_, card): readonly WireMessage[] => {
    const id = `${at}-${card}`;
    if (card % 3 === 0)
      return [
        said(`m${id}`, { type: 'text', text: `message ${id}: ${'some words with `code` and **bold** '.repeat(3)}` }),
      ];
    if (card % 3 === 1) {
      const output = Array.from({ length: 10 }, (__, line) => `\u001b[32mok\u001b[0m ${line} a test of ${id}`).join(
        '\n',
      );
      const input = { command: `npm test ${id}` };
      return [said(`u${id}`, { type: 'tool_use', id: `b${id}`, name: 'Bash', input }), got(`b${id}`, output)];
    }
    const input = { file_path: `/x/${id}.js`, old_string: 'a - b', new_string: 'a + b' };
    const lines = [' function add(a, b) {', '-  return a - b;', '+  return a + b;', ' }'];
    const structuredPatch = [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines }];
    return [
      said(`u${id}`, { type: 'tool_use', id: `e${id}`, name: 'Edit', input }),
      got(`e${id}`, 'done', { tool_use_result: { filePath: `/x/${id}.js`, structuredPatch } }),
    ];
  }).flat();
}

/** Starts an agent, and returns a function that lets it say messages in a turn, at once or a line every 10 ms. */
async function startTalker(daemon: TestDaemon, client: Client) {
  const command = `${execPath} ${AGENT} ${daemon.home}/got.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--program', command];
  const { id } = await daemon.json<{ id: string }>('run', ...flags, '--', 'say hello');
  await client.waitUntil(id, 'idle', { timeoutMs: WITHIN_MS });
  const agent = await client.openAgent(id);
  let turns = 0;
  const talk = async (messages: readonly WireMessage[], pace: 'play' | 'pace'): Promise<void> => {
    const file = `${daemon.home}/${turns++}.play`;
    // The last words name the turn.
    const end = said(`end-${turns}`, { type: 'text', text: `end of ${turns}` });
    writeFileSync(file, [...messages, end].map((message) => `${JSON.stringify(message)}\n`).join(''));
    const { offset } = (await client.get(id)).driver!;
    const events = client.watchEvents(id, { from: offset });
    await agent.prompt(`${pace} ${file}`);
    for await (const item of events) if (item.type === 'event' && item.event.kind === 'turn.ended') break;
  };
  return { id, talk };
}

async function longAgent(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id, talk } = await startTalker(daemon, client);
  for (let at = 0; at < TURNS; at++) await talk(turn(at), 'play');
  let events = 0;
  for await (const item of client.watchEvents(id)) {
    if (item.type === 'event') events = item.event.seq;
    else if (item.type === 'synced') break;
  }
  if (events < EVENTS_MIN) throw new Error(`only ${events} events`);
  await using open = await openPage(daemon, DESK);
  const { page, origin } = open;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await cdp.send('Network.enable');
  let bytes = 0;
  cdp.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.opcode === 1 ? response.payloadData.length : (response.payloadData.length * 3) / 4;
  });
  const opened: number[] = [];
  for (let round = 0; round < 7; round++) {
    await page.goto(`${origin}/#/`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForTimeout(500); // what the front page still gets is not counted
    bytes = 0;
    opened.push(await openTail(page, id));
  }
  const tailBytes = bytes;
  const cards = await readAll(page);
  const [framesPerSecond, cpuMs] = await scroll(page, cdp);
  const blank = await page.context().newPage();
  const best = await framesOf(blank);
  const ms = median(opened);
  return [
    figure(`an agent with ${events} events opens its end after`, `${ms.toFixed(0)} ms`, '300 ms', ms / 300, '≤'),
    figure('the same: transferred', `${(tailBytes / 1000).toFixed(0)} kB`, '300 kB', tailBytes / 300_000, '≤'),
    figure(`its ${cards} cards scroll, frames a second`, framesPerSecond.toFixed(0), '50', framesPerSecond / 50, '≥'),
    {
      what: 'the same: against a blank page',
      ours: framesPerSecond.toFixed(0),
      limit: best.toFixed(0),
      ratio: framesPerSecond / best,
      goal: ['≥', 0.8],
    },
    figure('the same: CPU of its main thread for a frame', `${cpuMs.toFixed(1)} ms`, '12 ms', cpuMs / 12, '≤'),
  ];
}

/** Returns the time from the press until the cards are there. */
const openTail = (page: Page, id: string): Promise<number> =>
  page.evaluate(
    (session) =>
      new Promise<number>((done) => {
        const startedAt = performance.now();
        const look = (): void => {
          if (document.querySelectorAll('[data-event-seq]').length < 20) return void requestAnimationFrame(look);
          requestAnimationFrame(() => done(performance.now() - startedAt));
        };
        location.hash = `#/s/${session}`;
        look();
      }),
    id,
  );

/** Reads all older parts of a conversation, and returns the number of its cards. */
const readAll = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const box = document.querySelector('.conversation')!;
    const count = (): number => box.querySelectorAll('[data-event-seq]').length;
    for (let quiet = 0, last = -1; quiet < 50; quiet = count() === last ? quiet + 1 : 0) {
      last = count();
      box.scrollTop = 0;
      await new Promise((later) => setTimeout(later, 100));
    }
    return count();
  });

const STEP_PX = 100;

/** Scrolls from the beginning, a step in each frame. Returns the frames in a second, and the CPU time for one. */
async function scroll(page: Page, cdp: CDPSession): Promise<readonly [framesPerSecond: number, cpuMs: number]> {
  await page.evaluate(() => (document.querySelector('.conversation')!.scrollTop = 0));
  const before = await counters(cdp);
  const framesPerSecond = await framesOf(page, '.conversation');
  const after = await counters(cdp);
  return [framesPerSecond, (after.taskMs - before.taskMs) / ((framesPerSecond * LOOK_MS) / 1000)];
}

const framesOf = (page: Page, scrolled?: string): Promise<number> =>
  page.evaluate(
    ([selector, step, lookMs]) =>
      new Promise<number>((done) => {
        const box = selector === '' ? null : document.querySelector(selector);
        const startedAt = performance.now();
        let frames = 0;
        const next = (): void => {
          frames++;
          if (box !== null) box.scrollTop += step;
          const ms = performance.now() - startedAt;
          if (ms < lookMs) requestAnimationFrame(next);
          else done((frames * 1000) / ms);
        };
        requestAnimationFrame(next);
      }),
    [scrolled ?? '', STEP_PX, LOOK_MS] as const,
  );

const MESSAGE_BYTES = 200_000;
const DELTA_BYTES = 200;

/** A text as models write it: headings, lists, code, tables. */
function markdown(): string {
  const parts: string[] = [];
  for (let at = 1, bytes = 0; bytes < MESSAGE_BYTES; at++) {
    const code = Array.from({ length: 20 }, (_, line) => `export const v${line} = f(${at}, 'text'); // note`).join(
      '\n',
    );
    const rows = Array.from({ length: 8 }, (_, row) => `| row ${row} | \`x${row}\` |\n`).join('');
    const text = [
      `## Part ${at}\n\nThe function \`add${at}\` is **wrong**: it *subtracts*. See [the docs](https://example.com/${at}).\n\n`,
      `${'It is called in many places, so a change has to be made with care. '.repeat(3)}\n\n`,
      `- first of ${at}\n- second, with \`code\`\n- third\n\n`,
      at % 4 === 0 ? `\`\`\`ts\n${code}\n\`\`\`\n\n` : '',
      at % 9 === 0 ? `| a | b |\n| --- | --- |\n${rows}\n` : '',
    ].join('');
    parts.push(text);
    bytes += text.length;
  }
  return parts.join('').slice(0, MESSAGE_BYTES);
}

async function longMessage(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id, talk } = await startTalker(daemon, client);
  const text = markdown();
  const event = (body: object): WireMessage => ({ type: 'stream_event', parent_tool_use_id: null, event: body });
  const pieces = text.match(new RegExp(`[^]{1,${DELTA_BYTES}}`, 'g'))!;
  const linesOf = (message: string): readonly WireMessage[] => [
    event({ type: 'message_start', message: { id: message, role: 'assistant', content: [], usage: {} } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((piece) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    said(message, { type: 'text', text }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_stop' }),
  ];
  await using open = await openPage(daemon, DESK);
  const { page, origin } = open;
  await page.goto(`${origin}/#/s/${id}`);
  await page.getByRole('log').getByText('hello').first().waitFor();
  await page.waitForTimeout(1000);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  // Nothing is asked of the page meanwhile: a question of the test is a task, too. Tracing costs time, too.
  const stream = async (message: string): Promise<void> => {
    await talk(linesOf(message), 'pace');
    await new Promise((later) => setTimeout(later, 2000));
  };
  const before = await counters(cdp);
  await stream('counted');
  const after = await counters(cdp);
  const longest = await longestTaskMs(page, async () => await stream('traced'));
  await until('it is shown', async () => (await page.getByText('end of 2').count()) === 1, WITHIN_MS);
  const [script, task] = [after.scriptMs - before.scriptMs, after.taskMs - before.taskMs];
  return [
    figure('a message of 200 kB in 1,000 pieces: script', `${script.toFixed(0)} ms`, '250 ms', script / 250, '≤'),
    figure('the same: all of the main thread', `${task.toFixed(0)} ms`, '1500 ms', task / 1500, '≤'),
    figure('the same: its longest task', `${longest.toFixed(1)} ms`, '16 ms', longest / 16, '≤'),
  ];
}

export async function pageAgentBenches(): Promise<Figure[]> {
  try {
    return [...(await longAgent()), ...(await longMessage())];
  } finally {
    await closeBrowser();
  }
}
