/**
 * Replaces every model: `scripted-model.mjs COMMAND…` serves the requests of agents to Anthropic, OpenAI and Gemini on port 8080
 * of the loopback, and runs COMMAND, with which it ends. It must run inside of `offline`, where that port is free.
 *
 * It answers the user's words after "please" at the start of a line. A prompt that is not in this list gets the number of its
 * lines and the last of them in capitals, so that an answer on the screen is never mistaken for the typed prompt:
 *
 *   please list 60         sixty lines
 *   please think           a thought, then an answer
 *   please ponder SECONDS  a thought every quarter of a second, then an answer
 *   please run COMMAND     a call of the agent's own tool for the shell; ` ;; ` between several at once, ` >> ` one after the other
 *   please write FILE      a call of the agent's own tool for files
 *   please call NAME JSON  a call of any tool
 *   please wait            a word every tenth of a second, for two minutes
 *   please count N         N words, one every tenth of a second
 *   please recall          the user's first prompt
 *   please measure         an answer whose headers report the used part of the quota: 91 %, until 2100
 *   please stream SECONDS  a sentence every quarter of a second
 *   please hold FILE       a beginning, and the end once FILE is in the folder
 *   please quote           an answer that quotes dialogs and hints of agents
 *   please refuse STATUS   an HTTP error for every request
 *   please fail STATUS     an HTTP error for the first request, then an answer
 *   please break           a stream that is cut in the middle, then an answer
 *
 * The result of a tool is repeated in capitals, with the user's input meanwhile. Other requests of an agent (a title, a
 * classification) get a short answer of the right shape.
 *
 * With `SCRIPTED_FACTS` in the environment, each request of a turn is written to that file as JSON lines: `asked` (`said`: every
 * prompt of the conversation so far), and then `answered` (`calls`: the number of tools), `failed`, or `cut` if the agent has
 * hung up. `SCRIPTED_FIRST_MS` is the time before the first word.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { DONE, WIRES } from './model-wires.mjs';

const PORT = 8080;
const TITLE = 'A scripted title';
const RESULT_CHARACTERS_MAX = 400;
const TICKS = 1200;
const TICK_MS = 100;
const SENTENCE_MS = 250;
const PIECE_MS = 2;
const RESETS = String(Date.UTC(2100, 0, 1) / 1000);
const QUOTA = {
  'x-codex-primary-used-percent': '91',
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-at': RESETS,
  'anthropic-ratelimit-unified-status': 'allowed_warning',
  'anthropic-ratelimit-unified-reset': RESETS,
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  'anthropic-ratelimit-unified-5h-utilization': '0.91',
  'anthropic-ratelimit-unified-5h-reset': RESETS,
  'anthropic-ratelimit-unified-5h-status': 'allowed_warning',
};
/** The time before the first word. */
const FIRST_MS = Number(process.env.SCRIPTED_FIRST_MS ?? 0);
/** The interval of checks for the file that releases a held answer. */
const HOLD_MS = 50;
const QUOTED = [
  'Their dialogs look like this:',
  '```\nDo you want to proceed?\n❯ 1. Yes\n  2. No, and tell Claude what to do differently (esc)\n```',
  '```\n┃ △ Permission required\n┃  Allow once   Allow always   Reject\n```',
  'While they work they say "(3s • esc to interrupt)" or "⠋ Thinking... (esc to cancel, 4s)".',
  'Would you like to run the following command?\n\n1. Yes, proceed (y)\n2. No (esc)',
  'THE QUOTES END HERE.',
];
const HELD = 'THIS WAS HELD FOR';
/** Prompts that have failed once. */
const failed = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname } = new URL(request.url, 'http://loopback');
  const json = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const wire = WIRES.find(({ path }) => path.test(pathname));
  if (request.method !== 'POST' || !wire) {
    if (pathname.endsWith('/models')) return json(200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    return json(404, { error: { message: `nothing is scripted for ${pathname}` } });
  }
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  const items = wire.items(body);
  const reply = replyTo(items);
  const tell = (fact, more) => reply.isSide || tellFact(fact, more);
  const { status } = reply;
  const isStreamed = wire.streams(body, pathname);
  if (status !== undefined || isStreamed) tell('asked', { said: promptsIn(items) });
  if (status !== undefined) {
    tell('failed');
    return json(status, { error: { message: 'scripted failure', type: 'server_error', code: status } });
  }
  if (!isStreamed) return json(200, wire.whole(reply, body));
  await pause(FIRST_MS);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  for (const event of wire.stream(reply, body)) {
    const data = event === DONE ? '[DONE]' : JSON.stringify(event);
    while (reply.heldFor && data.includes(HELD) && !existsSync(reply.heldFor) && !response.destroyed)
      await pause(HOLD_MS);
    if (response.destroyed) return tell('cut');
    response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${data}\n\n`);
    await pause(reply.pieceMs ?? PIECE_MS);
    if (reply.isCut && data.includes('half')) {
      tell('cut');
      return response.destroy();
    }
  }
  response.end();
  tell('answered', { calls: reply.calls?.length ?? 0 });
});

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function tellFact(fact, more) {
  if (process.env.SCRIPTED_FACTS)
    appendFileSync(process.env.SCRIPTED_FACTS, `${JSON.stringify({ at: Date.now(), fact, ...more })}\n`);
}

/** Returns the reply; `items` is the conversation so far, `{who: 'user' | 'tool' | 'other', text, images}`. */
function replyTo(items) {
  const at = items.findLastIndex(({ who, text }) => who === 'user' && promptIn(text) !== undefined);
  if (at < 0) return { text: TITLE, isSide: true };
  const prompt = promptIn(items[at].text);
  const since = items.slice(at + 1).filter(({ who }) => who !== 'other');
  const results = since.filter(({ who }) => who === 'tool').length;
  const next = prompt.startsWith('please run ') ? prompt.split(' >> ')[results] : undefined;
  if (results > 0 && next !== undefined) return { calls: [{ tool: 'shell', command: next.trim() }] };
  if (results > 0) return { text: `The tool said ${saidSince(since)}` };
  const [, word = '', rest = ''] = /^please (\S+) ?([^]*)$/.exec(prompt) ?? [];
  const key = `${at} ${prompt}`;
  const isFirst = !failed.has(key);
  const images = items[at].images === 0 ? '' : ` with ${items[at].images} image`;
  const heard = (suffix = '') => {
    const lines = prompt.split(/\r\n|\r|\n/);
    return `Heard ${lines.length} of them${images}${suffix}, at last ${lines.at(-1).trim().toUpperCase()}.`;
  };
  switch (word) {
    case 'list':
      return { text: Array.from({ length: 60 }, (_, row) => `Row ${row + 1} of 60.`).join('\n\n') };
    case 'think':
      return { thinking: 'It wants a thought, so here is one.', text: heard() };
    case 'ponder':
      return { thinking: thoughts(4 * Number.parseInt(rest, 10)), text: heard(), pieceMs: SENTENCE_MS };
    case 'run':
      return {
        calls: rest
          .split(' >> ')[0]
          .split(' ;; ')
          .map((command) => ({ tool: 'shell', command: command.trim() })),
      };
    case 'write':
      return { calls: [{ tool: 'write', path: rest.trim(), content: 'first line\nsecond line\n' }] };
    case 'call': {
      const [, name, input] = /^(\S+) ([^]*)$/.exec(rest) ?? [];
      return { calls: [{ tool: 'any', name, input: JSON.parse(input) }] };
    }
    case 'wait':
      return { pieces: Array.from({ length: TICKS }, (_, tick) => `tick ${tick} `), pieceMs: TICK_MS };
    case 'count':
      return {
        pieces: Array.from({ length: Number.parseInt(rest, 10) }, (_, tick) => `tick ${tick} `),
        pieceMs: TICK_MS,
      };
    case 'recall': {
      const first = items.find(({ who, text }) => who === 'user' && promptIn(text) !== undefined);
      return { text: `At first ${promptIn(first.text).toUpperCase()}.` };
    }
    case 'measure':
      return { text: heard(), headers: QUOTA };
    case 'stream': {
      const sentences = Math.round((Number.parseFloat(rest) * 1000) / SENTENCE_MS);
      const text = (at) =>
        `Sentence ${at + 1} of ${sentences} says something about the weather.${at % 4 === 3 ? '\n\n' : ' '}`;
      return { pieces: [...Array.from({ length: sentences }, (_, at) => text(at)), 'ALL SAID.'], pieceMs: SENTENCE_MS };
    }
    case 'hold':
      return { pieces: ['This is the beginning. ', `${HELD} ${rest.trim().toUpperCase()}.`], heldFor: rest.trim() };
    case 'quote':
      return { text: QUOTED.join('\n\n') };
    case 'refuse':
      return { status: Number.parseInt(rest, 10) };
    case 'fail':
      failed.add(key);
      return isFirst ? { status: Number.parseInt(rest, 10) } : { text: heard(' after a failure') };
    case 'break':
      failed.add(key);
      return isFirst
        ? { pieces: ['only ', 'the first ', 'half ', 'of it'], isCut: true }
        : { text: heard(' after a cut') };
    default:
      return { text: heard() };
  }
}

/** Returns thoughts that each have the length of a piece, so that all wires take the same time for them. */
function thoughts(count) {
  return Array.from({ length: count }, (_, at) => `This is thought ${String(at + 10)}...`.padEnd(22, '.')).join('\n\n');
}

/** Returns all prompts of the user so far. */
function promptsIn(items) {
  return items.flatMap(({ who, text }) => (who === 'user' ? (promptIn(text) ?? []) : []));
}

/** Returns the prompt in a text: some agents wrap it in `<user_query>` … `</user_query>`. */
function promptIn(text) {
  const start = [...text.matchAll(/(?:^|[\n>])\s*(please )/g)].at(-1);
  if (!start) return undefined;
  return text
    .slice(start.index + start[0].length - 'please '.length)
    .replace(/<\/[^]*$/, '')
    .trim();
}

function saidSince(items) {
  const text = items.map((item) => item.text.trim()).join(' ');
  return `${text.slice(0, RESULT_CHARACTERS_MAX).toUpperCase()}.`;
}

server.listen(PORT, '127.0.0.1', () => {
  const [file, ...args] = process.argv.slice(2);
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
});
