/**
 * An agent that serves HTTP like `opencode serve`, for tests of the code between it and its clients: no model, no network but the
 * loopback. It writes its password, its port and every call that it receives into the file that SCRIPTED_LOG names.
 *
 *   say TEXT     answers with TEXT
 *   secret       runs a tool that prints the environment
 *   ask          asks for a permission, and ends the turn when it is answered
 *   gap TEXT     loses its clients in the middle of TEXT, runs a tool and ends the turn, and is available again
 *   gap-all      loses its clients before it reports work, and is available again when the turn is over
 *   gap-ask      loses its clients, asks for a permission, and is available again
 *   gap-reply    asks for a permission, loses its clients with the answer to that, and is available again
 *   leave        ends the turn, loses its clients and refuses connections for a while
 *   fail         fails before it works, and reports that twice
 *   slow         works for a second
 *   flood N      N pieces of a text at once
 *   die          exits with 7
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { env, exit, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const LOG = env.SCRIPTED_LOG;
const GAP_MS = 300;
const LEFT_MS = 2000;
const sessionID = 'ses_scripted';
const authorization = `Basic ${Buffer.from(`${env.OPENCODE_SERVER_USERNAME}:${env.OPENCODE_SERVER_PASSWORD}`).toString('base64')}`;
const log = (line) => appendFileSync(LOG, `${JSON.stringify(line)}\n`);

/** @type {Set<import('node:http').ServerResponse>} */
const watching = new Set();
/** @type {{info: any, parts: any[]}[]} */
const messages = [];
/** @type {Map<string, {asked: any, answered: (reply: any) => void}>} */
const permissions = new Map();
let todos = [];
let isBusy = false;
let isAway = false;
let loseReply = false;
let ids = 0;
const id = (kind) => `${kind}_${String(++ids).padStart(6, '0')}`;

function send(type, properties) {
  for (const response of watching) response.write(`data: ${JSON.stringify({ id: id('evt'), type, properties })}\n\n`);
}

/** Drops every client, and accepts none until `back`. */
function away() {
  isAway = true;
  for (const response of watching) response.destroy();
  watching.clear();
}

async function back() {
  await sleep(GAP_MS);
  isAway = false;
}

/** Drops the clients after they have received all events. */
function leave() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  for (const response of watching) response.end();
  server.close();
  setTimeout(() => server.listen(port, '127.0.0.1'), LEFT_MS);
}

function status(type) {
  isBusy = type !== 'idle';
  send('session.status', { sessionID, status: { type } });
  if (!isBusy) send('session.idle', { sessionID });
}

function message(role) {
  const info = { id: id('msg'), sessionID, role, time: { created: Date.now() } };
  messages.push({ info, parts: [] });
  send('message.updated', { sessionID, info });
  return messages.at(-1);
}

function put(of, part) {
  const whole = { ...part, sessionID, messageID: of.info.id };
  const at = of.parts.findIndex((each) => each.id === part.id);
  if (at < 0) of.parts.push(whole);
  else of.parts[at] = whole;
  send('message.part.updated', { sessionID, part: whole });
}

function says(of, text, middle = () => {}) {
  const part = { id: id('prt'), type: 'text', text: '', time: { start: 1 } };
  put(of, part);
  const half = text.length >> 1;
  for (const [at, piece] of [text.slice(0, half), text.slice(half)].entries()) {
    if (at === 1) middle();
    send('message.part.delta', { sessionID, messageID: of.info.id, partID: part.id, field: 'text', delta: piece });
  }
  put(of, { ...part, text, time: { start: 1, end: 2 } });
}

function tool(of, command, state, callID = id('call')) {
  const known = of.parts.find((part) => part.callID === callID);
  put(of, {
    id: known?.id ?? id('prt'),
    type: 'tool',
    tool: 'bash',
    callID,
    state: { input: { command }, ...state },
  });
  return callID;
}

async function flood(of, pieces) {
  const part = { id: id('prt'), type: 'text', text: '', time: { start: 1 } };
  put(of, part);
  for (let at = 0; at < pieces; at++) {
    send('message.part.delta', { sessionID, messageID: of.info.id, partID: part.id, field: 'text', delta: `${at} ` });
    if (at % 100 === 0) await sleep(0); // lets the server send its pending events
  }
  const text = Array.from({ length: pieces }, (_, at) => `${at} `).join('');
  put(of, { ...part, text, time: { start: 1, end: 2 } });
}

const done = (output) => ({ status: 'completed', output, title: 'done', metadata: { exit: 0, output } });

async function ask(of, command) {
  const callID = tool(of, command, { status: 'running' });
  const asked = {
    id: id('per'),
    sessionID,
    permission: 'bash',
    patterns: [command],
    metadata: { command },
    tool: { callID },
  };
  const reply = await new Promise((answered) => {
    permissions.set(asked.id, { asked, answered });
    send('permission.asked', asked);
  });
  permissions.delete(asked.id);
  send('permission.replied', { sessionID, requestID: asked.id, reply });
  tool(
    of,
    command,
    reply === 'reject' ? { status: 'error', error: 'The user rejected permission' } : done('ran'),
    callID,
  );
}

async function turn(text) {
  const [word, ...rest] = text.split(' ');
  const said = rest.join(' ');
  const prompt = message('user');
  put(prompt, { id: id('prt'), type: 'text', text });
  if (word === 'fail') {
    send('session.error', { sessionID, error: { name: 'UnknownError', data: { message: 'No such agent' } } });
    const trace = 'UnknownError: x\n    at somewhere (/a.js:1:1)';
    return send('session.error', { sessionID, error: { name: 'UnknownError', data: { message: trace } } });
  }
  if (word === 'gap-all') away();
  status('busy');
  const answer = message('assistant');
  if (word === 'die') exit(7);
  if (word === 'slow') await sleep(1000);
  if (word === 'flood') await flood(answer, Number(said));
  if (word === 'secret') tool(answer, 'env', done(`PASSWORD=${env.OPENCODE_SERVER_PASSWORD}`));
  if (word === 'ask') await ask(answer, 'touch a');
  if (word === 'gap-reply') {
    loseReply = true;
    await ask(answer, 'touch a');
  }
  if (word === 'gap-ask') {
    away();
    const asking = ask(answer, 'touch b');
    await back();
    await asking;
  }
  if (word === 'gap') {
    says(answer, said, away);
    tool(answer, 'make', done('made'));
    todos = [{ content: 'later', status: 'pending', priority: 'low' }];
    send('todo.updated', { sessionID, todos });
  } else says(answer, word === 'say' ? said : `${word} is done`);
  answer.info.time.completed = Date.now();
  send('message.updated', { sessionID, info: answer.info });
  status('idle');
  if (isAway) await back();
  if (word === 'leave') leave();
}

const server = createServer(async (request, response) => {
  const { method, url = '' } = request;
  const json = (code, body) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  if (isAway) return void request.socket.destroy();
  if (request.headers.authorization !== authorization) return json(401, { message: 'no' });
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
  const call = `${method} ${url.split('?')[0]}`;
  if (call !== 'GET /event') log({ call, body });
  const session = { id: sessionID, version: '1.18.33', directory: process.cwd(), title: 'scripted', cost: 0 };
  const reply = /^POST \/permission\/(\w+)\/reply$/.exec(call)?.[1];
  if (call === 'GET /event') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ id: id('evt'), type: 'server.connected', properties: {} })}\n\n`);
    response.write(`data: ${JSON.stringify({ id: id('evt'), type: 'server.heartbeat', properties: {} })}\n\n`);
    watching.add(response);
    response.on('close', () => watching.delete(response));
  } else if (call === 'POST /session' || call === `GET /session/${sessionID}`) json(200, session);
  else if (call === `POST /session/${sessionID}/prompt_async`) {
    json(204);
    void turn(body.parts[0].text);
  } else if (call === `GET /session/${sessionID}/message`) json(200, messages);
  else if (call === 'GET /permission')
    json(
      200,
      [...permissions.values()].map(({ asked }) => asked),
    );
  else if (reply !== undefined) {
    if (loseReply) {
      loseReply = false;
      away();
      request.socket.destroy();
      return void back();
    }
    const waiting = permissions.get(reply);
    if (!waiting) return json(404, { message: 'not found' });
    json(200, true);
    waiting.answered(body.reply);
  } else if (call === 'GET /question' || call === 'GET /command') json(200, []);
  else if (call === 'GET /session/status') json(200, isBusy ? { [sessionID]: { type: 'busy' } } : {});
  else if (call === `GET /session/${sessionID}/todo`) json(200, todos);
  else if (call === `POST /session/${sessionID}/abort`) json(200, true);
  else {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html></html>');
  }
});
server.once('listening', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  log({ password: env.OPENCODE_SERVER_PASSWORD, port, pid: process.pid });
  stdout.write(`opencode server listening on http://127.0.0.1:${port}\n`);
});
server.listen(0, '127.0.0.1');
