/**
 * An agent that speaks Claude's stream-json on pipes, for tests of what is between it and its clients: no model, no network.
 * It writes every line that it receives into the file of its first argument, so that a test can see what arrived, and how often.
 *
 *   say TEXT     answers with TEXT
 *   ask N        asks for N permissions at once, and ends the turn when all are answered
 *   count N      N deltas, one every few milliseconds
 *   long N       one line of N megabytes
 *   die          exits in the middle of the turn
 */
import { appendFileSync } from 'node:fs';
import { argv, exit, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , received] = argv;
const session_id = '00000000-0000-4000-8000-000000000001';
/** @type {Set<string>} */
const open = new Set();
let turn = 0;
/** @type {string | undefined} */
let uuid;
/** @type {(() => void) | null} */
let answered = null;

const say = (line) => stdout.write(`${JSON.stringify({ ...line, session_id })}\n`);

for await (const text of createInterface({ input: stdin })) {
  appendFileSync(received, `${text}\n`);
  const line = JSON.parse(text);
  if (line.type === 'control_request') control(line);
  else if (line.type === 'control_response') answer(line.response.request_id);
  else if (line.type === 'user') void prompt(line);
}

function control({ request_id, request }) {
  const response = request.subtype === 'initialize' ? { commands: [], models: [] } : {};
  say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

function answer(request) {
  open.delete(request);
  if (open.size === 0) answered?.();
}

async function prompt({ message, uuid: id }) {
  uuid = id;
  turn++;
  say({ type: 'system', subtype: 'init', cwd: '/', model: 'scripted', tools: [], slash_commands: [] });
  const [word, ...rest] = message.content[0].text.split(' ');
  const argument = rest.join(' ');
  if (word === 'die') exit(3);
  if (word === 'ask') await ask(Number(argument));
  if (word === 'long')
    say({ type: 'system', subtype: 'informational', content: 'x'.repeat(Number(argument) * 1024 * 1024) });
  if (word === 'count') await count(Number(argument));
  end(word === 'say' ? argument : `${word} is done`);
}

async function ask(requests) {
  const done = new Promise((resolve) => (answered = () => resolve(undefined)));
  for (let at = 0; at < requests; at++) {
    const request_id = `request-${turn}-${at}`;
    open.add(request_id);
    const input = { command: `echo ${at}`, description: 'a test' };
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: `tool-${turn}-${at}` };
    say({ type: 'control_request', request_id, request });
  }
  await done;
}

async function count(deltas) {
  const event = (body) => say({ type: 'stream_event', parent_tool_use_id: null, event: body });
  const id = `count-${turn}`;
  event({ type: 'message_start', message: { id, role: 'assistant', content: [], usage: {} } });
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (let at = 0; at < deltas; at++) {
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${at} ` } });
    await sleep(5);
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

function end(text) {
  const message = { id: `message-${turn}`, role: 'assistant', content: [{ type: 'text', text }] };
  say({ type: 'assistant', parent_tool_use_id: null, message });
  const user_message_uuids = uuid === undefined ? [] : [uuid];
  say({ type: 'result', subtype: 'success', is_error: false, result: text, total_cost_usd: 0, user_message_uuids });
}
