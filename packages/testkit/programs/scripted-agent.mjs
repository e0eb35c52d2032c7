/**
 * An agent that speaks Claude's stream-json on pipes, for tests of the code between it and its clients: no model, no network. It
 * writes every line that it receives into the file of its first argument, so that a test can see which lines arrived, and how
 * often. A second argument such as `commands=review,compact` names the commands that it offers.
 *
 *   say TEXT     answers with TEXT
 *   ask N        asks for N permissions at once, and ends the turn when all are answered
 *   steps JSON   a list: {"ask": {"id", "tool", "input", "suggestions"}}, {"withdraw": ID}, {"when": FILE}, {"text": KILOBYTES}
 *   ask-long N   asks for a permission in a line of N megabytes
 *   count N      N deltas, one every few milliseconds
 *   long N       one line of N megabytes
 *   show         thinks, writes Markdown in pieces, runs a command, edits a file
 *   hostile      texts with escapes, marks of direction, HTML and a very long line
 *   play FILE    writes the messages of a file, one JSON value per line, as its own
 *   pace FILE    as play, a line every 10 ms
 *   hang         works until it is interrupted
 *   garbage N    N megabytes of lines that are not JSON, and of bytes that are not text
 *   nested       lines that are nested half a million deep
 *   objects      a line of 300,000 objects
 *   flood N      N deltas at once
 *   escapes N    N long texts that are all escapes and HTML
 *   stream N     a delta every 20 ms for N seconds
 *   text N       answers with a text of N kilobytes
 *   spend        works until the first limit of its command line, `--max-turns` or `--max-budget-usd`
 *   deaf         closes its input, and continues to run
 *   pause        stops reading its input
 *   never        works forever, also when it is interrupted
 *   die          exits in the middle of the turn
 *   recall       answers with the session id from its `--resume`
 */
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, readFileSync } from 'node:fs';
import { argv, exit, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , received] = argv;
const offered =
  argv
    .find((word) => word.startsWith('commands='))
    ?.slice('commands='.length)
    .split(',') ?? [];
const session_id = '00000000-0000-4000-8000-000000000001';
/** @type {Set<string>} */
const open = new Set();
let turn = 0;
/** @type {string | undefined} */
let uuid;
/** @type {(() => void) | null} */
let answered = null;
/** @type {(() => void) | null} */
let interrupted = null;

const MARKDOWN = [
  '# What I found',
  '',
  'The function `add` is **wrong**: it *subtracts*. See [the docs](https://example.com/add) or https://example.com.',
  '',
  '1. Run the tests',
  '2. Fix the sign',
  '   - in `add.js`',
  '   - not in `sub.js`',
  '',
  '| file | tests | state |',
  '| --- | ---: | --- |',
  '| add.js | 12 | fails |',
  '| sub.js | 3 | passes, and this cell is long enough to be wrapped somewhere |',
  '',
  '```js',
  'export function add(a, b) {',
  '  return a - b; // the fault',
  '}',
  '```',
  '',
  '> A quote, at last.',
].join('\n');

const HOSTILE = [
  'escape \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;aGk=\x07 bell \x07',
  'bidi \u202egnp.exe\u202c and \u2066isolate\u2069',
  '<script>alert(1)</script> <b>bold</b> &lt;',
  'carriage\rreturn, back\b\bspace, nul \u0000, c1 \u009b31m',
  `long ${'x'.repeat(5000)}`,
  '[click](javascript:alert(1)) [https://good.example](https://evil.example)',
].join('\n\n');

const say = (line) => stdout.write(`${JSON.stringify({ ...line, session_id })}\n`);

for await (const text of createInterface({ input: stdin })) {
  appendFileSync(received, `${text}\n`);
  const line = JSON.parse(text);
  if (line.type === 'control_request') control(line);
  else if (line.type === 'control_response') answer(line.response.request_id);
  else if (line.type === 'user') void prompt(line);
}

function control({ request_id, request }) {
  if (request.subtype === 'interrupt') interrupted?.();
  const response = request.subtype === 'initialize' ? { commands: offered.map((name) => ({ name })), models: [] } : {};
  say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

function answer(request) {
  open.delete(request);
  if (open.size === 0) answered?.();
}

async function prompt({ message, uuid: id }) {
  uuid = id;
  turn++;
  say({ type: 'system', subtype: 'init', cwd: '/', model: 'scripted', tools: [], slash_commands: offered });
  const [word, ...rest] = message.content[0].text.split(' ');
  const argument = rest.join(' ');
  if (word === 'die') exit(3);
  if (word === 'ask') await ask(Number(argument));
  if (word === 'steps') await steps(JSON.parse(argument));
  if (word === 'ask-long') await ask(1, 'x'.repeat(Number(argument) * 1024 * 1024));
  if (word === 'text') return end('x'.repeat(Number(argument) * 1024));
  if (word === 'spend') return spend();
  if (word === 'recall') return end(argv[argv.indexOf('--resume') + 1] ?? 'nothing');
  if (word === 'long')
    say({ type: 'system', subtype: 'informational', content: 'x'.repeat(Number(argument) * 1024 * 1024) });
  if (word === 'show') await show();
  if (word === 'play') for (const line of readFileSync(argument, 'utf8').trimEnd().split('\n')) say(JSON.parse(line));
  if (word === 'pace')
    for (const line of readFileSync(argument, 'utf8').trimEnd().split('\n')) {
      say(JSON.parse(line));
      await sleep(10);
    }
  if (word === 'hang') return void (await hang());
  if (word === 'hostile') return end(HOSTILE);
  if (word === 'never') return void (await new Promise(() => {}));
  if (word === 'pause' || word === 'deaf') {
    setInterval(() => {}, 1000); // it continues to run
    stdin.pause();
  }
  if (word === 'deaf') closeSync(0);
  if (word === 'garbage') await garbage(Number(argument));
  if (word === 'nested')
    for (const open of ['[', '{"a":']) stdout.write(`{"type":"assistant","message":${open.repeat(150_000)}\n`);
  if (word === 'nested') stdout.write(`{"type":"assistant","message":${'['.repeat(500_000)}${']'.repeat(500_000)}}\n`);
  if (word === 'objects') stdout.write(`{"type":"system","value":[${'{},'.repeat(300_000)}1]}\n`);
  if (word === 'escapes') escapes(Number(argument));
  if (word === 'count') await count(Number(argument), 5);
  if (word === 'flood') await count(Number(argument), 0);
  if (word === 'stream') await count(Number(argument) * 50, 20);
  end(word === 'say' ? argument : `${word} is done`);
}

async function ask(requests, description = 'a test') {
  const done = new Promise((resolve) => (answered = () => resolve(undefined)));
  for (let at = 0; at < requests; at++) {
    const request_id = `request-${turn}-${at}`;
    open.add(request_id);
    const input = { command: `echo ${at}`, description };
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: `tool-${turn}-${at}` };
    say({ type: 'control_request', request_id, request });
  }
  await done;
}

/** Ends when every request that was not withdrawn is answered. `when` waits for a file of the test. */
async function steps(list) {
  const done = new Promise((resolve) => (answered = () => resolve(undefined)));
  open.add('the steps');
  for (const { ask: asked, withdraw, when, text } of list) {
    if (asked !== undefined) {
      const { id: request_id, tool: tool_name, input, suggestions: permission_suggestions } = asked;
      open.add(request_id);
      const request = { subtype: 'can_use_tool', tool_name, input, tool_use_id: `tool-${request_id}` };
      const more = permission_suggestions === undefined ? {} : { permission_suggestions };
      say({ type: 'control_request', request_id, request: { ...request, ...more } });
    }
    if (withdraw !== undefined) {
      say({ type: 'control_cancel_request', request_id: withdraw });
      open.delete(withdraw);
    }
    if (when !== undefined) for (; !existsSync(when);) await sleep(20);
    if (text !== undefined) {
      const content = [{ type: 'text', text: 'x'.repeat(text * 1024) }];
      const message = { id: `text-${turn}-${Math.random()}`, role: 'assistant', content };
      say({ type: 'assistant', parent_tool_use_id: null, message });
    }
  }
  answer('the steps');
  await done;
}

/** Ends a turn at a limit like Claude: it reports the limit, and the program waits for a prompt. */
function spend() {
  const limit = argv.find((argument) => argument === '--max-turns' || argument === '--max-budget-usd');
  if (limit === undefined) return end('no limit');
  const subtype = limit === '--max-turns' ? 'error_max_turns' : 'error_max_budget_usd';
  const user_message_uuids = uuid === undefined ? [] : [uuid];
  say({ type: 'result', subtype, is_error: true, errors: [limit], total_cost_usd: 2, user_message_uuids });
}

async function garbage(megabytes) {
  const line = Buffer.concat([
    Buffer.alloc(700, '{"type":'),
    Buffer.from([0xff, 0x00, 0x1b, 0xc3]),
    Buffer.from('<b>\n'),
  ]);
  const block = Buffer.concat(Array.from({ length: 1483 }, () => line)); // about a megabyte
  for (let at = 0; at < megabytes; at++) if (!stdout.write(block)) await once(stdout, 'drain');
}

function escapes(texts) {
  const text = '\u001b[31m<script>alert("x")</script>\u0000\ud83d'.repeat(5000);
  for (let at = 0; at < texts; at++) {
    const message = { id: `escapes-${turn}-${at}`, role: 'assistant', content: [{ type: 'text', text }] };
    say({ type: 'assistant', parent_tool_use_id: null, message });
  }
}

async function count(deltas, pauseMs) {
  const event = (body) => say({ type: 'stream_event', parent_tool_use_id: null, event: body });
  const id = `count-${turn}`;
  event({ type: 'message_start', message: { id, role: 'assistant', content: [], usage: {} } });
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (let at = 0; at < deltas; at++) {
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${at} ` } });
    if (pauseMs > 0) await sleep(pauseMs);
  }
  const text = Array.from({ length: deltas }, (_, at) => `${at} `).join('');
  say({
    type: 'assistant',
    parent_tool_use_id: null,
    message: { id, role: 'assistant', content: [{ type: 'text', text }] },
  });
  event({ type: 'content_block_stop', index: 0 });
  event({ type: 'message_stop' });
}

/** Works until it is interrupted, and then ends the turn like Claude. */
async function hang() {
  await new Promise((resolve) => (interrupted = () => resolve(undefined)));
  const user_message_uuids = uuid === undefined ? [] : [uuid];
  say({
    type: 'result',
    subtype: 'error_during_execution',
    terminal_reason: 'aborted_streaming',
    is_error: true,
    errors: [],
    total_cost_usd: 0,
    user_message_uuids,
  });
}

function event(body) {
  say({ type: 'stream_event', parent_tool_use_id: null, event: body });
}

async function show() {
  await block(`think-${turn}`, {
    type: 'thinking',
    thinking: 'I should run the tests first.\nThen I look at what fails.',
  });
  await block(`text-${turn}`, { type: 'text', text: MARKDOWN });
  const tool = `toolu-${turn}`;
  await block(`tool-${turn}`, {
    type: 'tool_use',
    id: tool,
    name: 'Bash',
    input: { command: 'npm test', description: 'Run the tests' },
  });
  const output = Array.from({ length: 12 }, (_, at) => `\x1b[32mok\x1b[m ${at + 1} - a test\n`).join('');
  result(tool, output);
  const edit = `edit-${turn}`;
  const file_path = '/home/user/project/add.js';
  await block(`change-${turn}`, {
    type: 'tool_use',
    id: edit,
    name: 'Edit',
    input: { file_path, old_string: 'a - b', new_string: 'a + b' },
  });
  const lines = [' export function add(a, b) {', '-  return a - b;', '+  return a + b;', ' }'];
  result(edit, 'The file has been updated.', {
    filePath: file_path,
    structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines }],
  });
}

/** Sends one message of one block, in small pieces. */
async function block(id, content) {
  event({ type: 'message_start', message: { id, role: 'assistant', content: [], usage: {} } });
  const { type } = content;
  const empty =
    type === 'text' ? { type, text: '' } : type === 'thinking' ? { type, thinking: '' } : { ...content, input: {} };
  event({ type: 'content_block_start', index: 0, content_block: empty });
  const whole = type === 'text' ? content.text : type === 'thinking' ? content.thinking : JSON.stringify(content.input);
  const field = {
    text: ['text_delta', 'text'],
    thinking: ['thinking_delta', 'thinking'],
    tool_use: ['input_json_delta', 'partial_json'],
  }[type];
  for (const piece of whole.match(/[\s\S]{1,7}/g) ?? []) {
    event({ type: 'content_block_delta', index: 0, delta: { type: field[0], [field[1]]: piece } });
    await sleep(1);
  }
  say({ type: 'assistant', parent_tool_use_id: null, message: { id, role: 'assistant', content: [content] } });
  event({ type: 'content_block_stop', index: 0 });
  event({ type: 'message_stop' });
}

function result(tool_use_id, content, tool_use_result) {
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] };
  say({ type: 'user', parent_tool_use_id: null, message, ...(tool_use_result && { tool_use_result }) });
}

function end(text) {
  const message = { id: `message-${turn}`, role: 'assistant', content: [{ type: 'text', text }] };
  say({ type: 'assistant', parent_tool_use_id: null, message });
  const user_message_uuids = uuid === undefined ? [] : [uuid];
  say({ type: 'result', subtype: 'success', is_error: false, result: text, total_cost_usd: 0, user_message_uuids });
}
