/**
 * Stands in for every model: `scripted-model.mjs COMMAND…` serves what agents ask of Anthropic, OpenAI and Gemini on port 8080
 * of the loopback, and runs COMMAND, whose end is its own. To be run inside of `offline`, where that port is free.
 *
 * It answers what a user says after "please". `please list 60` gets sixty lines, `please run COMMAND` gets that command as a
 * call of the agent's own tool for the shell, everything else gets the number of its lines and the last of them in capitals,
 * so that an answer on the screen is never mistaken for what was typed. Whatever an agent asks besides (a title, a
 * classification) gets something short of the right shape; so does what a tool has given.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const PORT = 8080;
/** Pieces arrive one by one, as from a model. */
const PIECE_CHARACTERS = 24;
const TITLE = 'A scripted title';
const CLASSIFIED = {
  reasoning: 'scripted',
  model_choice: 'flash',
  complexity_score: 1,
  complexity_reasoning: 'scripted',
};

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname } = new URL(request.url, 'http://loopback');
  const json = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const talk = TALKS.find(({ path }) => path.test(pathname));
  if (request.method !== 'POST' || !talk) {
    if (pathname.endsWith('/models')) return json(200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    return json(404, { error: { message: `nothing is scripted for ${pathname}` } });
  }
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  const text = answer(talk.said(body));
  if (!talk.streams(body, pathname)) return json(200, talk.whole(text, body));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of talk.stream(text, body)) {
    response.write(
      `${event.type ? `event: ${event.type}\n` : ''}data: ${event === DONE ? '[DONE]' : JSON.stringify(event)}\n\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  response.end();
});

/** What is answered to the last thing that the user said. */
function answer(said) {
  const asked = said.slice(said.lastIndexOf('please '));
  if (!asked.startsWith('please ')) return TITLE;
  // Some agents wrap what was typed: `<user_query>` … `</user_query>`.
  const lines = asked
    .replace(/<\/[^]*$/, '')
    .trim()
    .split(/\r\n|\r|\n/);
  if (lines[0] === 'please list 60') return Array.from({ length: 60 }, (_, at) => `Row ${at + 1} of 60.`).join('\n\n');
  return `Heard ${lines.length} of them, at last ${lines.at(-1).trim().toUpperCase()}.`;
}

/** The command that the user asked for last. */
const commandIn = (said) => /please run ([^\n<]+)/.exec(said.slice(said.lastIndexOf('please ')))?.[1].trim();

const DONE = {};
const pieces = (text) => text.match(new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'g'));
const lastOf = (messages, role = 'user') => messages?.findLast((message) => message.role === role);
/** The text of a message, whose content is a string or a list of parts. */
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');

/** Titles and classifications are asked for without tools; they must not look like answers. */
const hasTools = (body) => (body.tools?.length ?? 0) > 0;

const anthropic = {
  path: /\/v1\/messages$/,
  said: (body) => (hasTools(body) ? textOf(lastOf(body.messages)?.content) : ''),
  streams: (body) => body.stream === true,
  message: (body) => ({
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  }),
  whole: (text, body) => ({ ...anthropic.message(body), content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
  *stream(text, body) {
    yield { type: 'message_start', message: anthropic.message(body) };
    const command = commandIn(anthropic.said(body));
    if (command !== undefined) {
      yield* anthropic.call({ command, description: 'Run a command' });
      return;
    }
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    for (const piece of pieces(text))
      yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } };
    yield { type: 'content_block_stop', index: 0 };
    yield {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 9 },
    };
    yield { type: 'message_stop' };
  },
};

anthropic.call = function* (input) {
  yield {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_scripted', name: 'Bash', input: {} },
  };
  const partial_json = JSON.stringify(input);
  yield { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } };
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } };
  yield { type: 'message_stop' };
};

const responses = {
  path: /\/responses$/,
  said: (body) => {
    if (typeof body.input === 'string') return body.input;
    return body.input?.at(-1)?.type === 'function_call_output' ? '' : textOf(lastOf(body.input)?.content);
  },
  streams: (body) => body.stream === true,
  item: (text) => ({
    type: 'message',
    id: 'msg_scripted',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }),
  whole: (text, body) => ({
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: body.model,
    output: [responses.item(text)],
    usage: { input_tokens: 10, output_tokens: 9, total_tokens: 19 },
  }),
  /** Codex asks only for what must not be done in its sandbox. */
  call: (command) => ({
    type: 'function_call',
    id: 'fc_scripted',
    call_id: 'call_scripted',
    name: 'exec_command',
    status: 'completed',
    arguments: JSON.stringify({
      cmd: command,
      sandbox_permissions: 'require_escalated',
      justification: 'It writes outside of the sandbox.',
    }),
  }),
  *stream(text, body) {
    const command = commandIn(responses.said(body));
    const response = responses.whole(text, body);
    if (command !== undefined) {
      const item = responses.call(command);
      yield { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } };
      yield { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } };
      yield { type: 'response.output_item.done', output_index: 0, item };
      yield { type: 'response.completed', response: { ...response, output: [item] } };
      return;
    }
    const place = { item_id: 'msg_scripted', output_index: 0, content_index: 0 };
    yield { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } };
    yield { type: 'response.output_item.added', output_index: 0, item: { ...responses.item(text), content: [] } };
    for (const delta of pieces(text)) yield { type: 'response.output_text.delta', ...place, delta };
    yield { type: 'response.output_text.done', ...place, text };
    yield { type: 'response.output_item.done', output_index: 0, item: responses.item(text) };
    yield { type: 'response.completed', response };
  },
};

const chat = {
  path: /\/chat\/completions$/,
  said: (body) =>
    hasTools(body) && body.messages?.at(-1)?.role !== 'tool' ? textOf(lastOf(body.messages)?.content) : '',
  streams: (body) => body.stream === true,
  usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 },
  shellOf: (body) => body.tools.map((tool) => tool.function?.name).find((name) => /^(bash|run_terminal)/.test(name)),
  whole: (text, body) => ({
    id: 'chat_scripted',
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chat.usage,
  }),
  *stream(text, body) {
    const piece = (choice, more) => ({
      id: 'chat_scripted',
      object: 'chat.completion.chunk',
      created: 0,
      model: body.model,
      choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [],
      ...more,
    });
    yield piece({ delta: { role: 'assistant', content: '' } });
    const command = commandIn(chat.said(body));
    if (command !== undefined) {
      const call = { name: chat.shellOf(body), arguments: JSON.stringify({ command, description: 'Run a command' }) };
      yield piece({ delta: { tool_calls: [{ index: 0, id: 'call_scripted', type: 'function', function: call }] } });
      yield piece({ delta: {}, finish_reason: 'tool_calls' });
      yield piece(undefined, { usage: chat.usage });
      yield DONE;
      return;
    }
    for (const content of pieces(text)) yield piece({ delta: { content } });
    yield piece({ delta: {}, finish_reason: 'stop' });
    yield piece(undefined, { usage: chat.usage });
    yield DONE;
  },
};

const gemini = {
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/,
  said: (body) => textOf(lastOf(body.contents)?.parts),
  streams: (_body, pathname) => pathname.endsWith(':streamGenerateContent'),
  part: (text, more) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9, totalTokenCount: 19 },
    totalTokens: 10,
  }),
  // Only side questions are not streamed: which model to take, who speaks next.
  whole: () => gemini.part(JSON.stringify(CLASSIFIED), { finishReason: 'STOP' }),
  *stream(text, body) {
    const command = commandIn(gemini.said(body));
    if (command !== undefined) {
      const functionCall = { name: 'run_shell_command', args: { command, description: 'Run a command' } };
      const [candidate] = gemini.part('').candidates;
      const content = { role: 'model', parts: [{ functionCall }] };
      yield { ...gemini.part(''), candidates: [{ ...candidate, content, finishReason: 'STOP' }] };
      return;
    }
    for (const piece of pieces(text)) yield gemini.part(piece);
    yield gemini.part('', { finishReason: 'STOP' });
  },
};

const TALKS = [anthropic, responses, chat, gemini];

server.listen(PORT, '127.0.0.1', () => {
  const [file, ...args] = process.argv.slice(2);
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
});
