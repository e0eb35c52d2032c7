/**
 * Implements the wires of models: Anthropic's messages, OpenAI's responses and chat completions, Gemini. Each wire reads the
 * conversation (`items`) and writes a reply: `{thinking, text | pieces, calls}`.
 */

/** The end of a stream of chat completions. */
export const DONE = {};
/** The size of a piece; pieces arrive one by one, as from a model. */
const PIECE_CHARACTERS = 24;
const CLASSIFIED = {
  reasoning: 'scripted',
  model_choice: 'flash',
  complexity_score: 1,
  complexity_reasoning: 'scripted',
};

const cut = (text) => text.match(new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'g')) ?? [];
const piecesOf = ({ pieces, text }) => pieces ?? cut(text ?? '');
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');
const imagesIn = (content) =>
  Array.isArray(content) ? content.filter((part) => /image/.test(part.type ?? '') || part.inlineData).length : 0;
/** Returns whether a request has tools: those for titles and classifications have none, and must not look like answers. */
const hasTools = (body) => (body.tools?.length ?? 0) > 0;
let calls = 0;
const callId = () => `call_${++calls}`;

/** Returns the agent's own tool for an action: `[name, input]`. */
function toolCall(call, names) {
  if (call.tool === 'any') return [call.name, call.input];
  if (call.tool === 'shell') {
    const { command } = call;
    // Codex asks only for actions that its sandbox forbids.
    const why = { sandbox_permissions: 'require_escalated', justification: 'It writes outside of the sandbox.' };
    if (names.includes('exec_command')) return ['exec_command', { cmd: command, ...why }];
    const name = names.find((known) => /^(Bash|bash|run_terminal|run_shell)/.test(known));
    return [name, { command, description: 'Run a command' }];
  }
  const { path, content } = call;
  if (names.includes('exec_command')) {
    const lines = content.trimEnd().split('\n');
    const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch'];
    return ['exec_command', { cmd: `apply_patch <<'EOP'\n${patch.join('\n')}\nEOP\n` }];
  }
  // OpenCode and Grok have different names for the same fields.
  if (names.includes('write')) return ['write', { filePath: path, file_path: path, content }];
  if (names.includes('Write')) return ['Write', { file_path: path, content }]; // Claude refuses unknown fields
  const name = names.find((known) => /^(write_file|write)$/.test(known));
  if (name) return [name, { file_path: path, path, content }];
  return ['search_replace', { file_path: path, old_string: '', new_string: content }];
}

const anthropic = {
  path: /\/v1\/messages$/,
  items: (body) =>
    !hasTools(body)
      ? []
      : (body.messages ?? [])
          .flatMap(({ role, content }) => [
            ...(Array.isArray(content) ? content : [])
              .filter(({ type }) => type === 'tool_result')
              .map((part) => ({ who: 'tool', text: textOf(part.content), images: 0 })),
            { who: isOfUser(role, content) ? 'user' : 'other', text: textOf(content), images: imagesIn(content) },
          ])
          .filter(({ who, text, images }) => who !== 'user' || isSaid(text) || images > 0),
  streams: (body) => body.stream === true,
  message: (body) => ({
    id: `msg_${callId()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  }),
  whole: ({ text = '' }, body) => ({
    ...anthropic.message(body),
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
  }),
  *stream(reply, body) {
    yield { type: 'message_start', message: anthropic.message(body) };
    let index = 0;
    const block = function* (content_block, deltas) {
      yield { type: 'content_block_start', index, content_block };
      for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
      yield { type: 'content_block_stop', index };
      index++;
    };
    if (reply.thinking)
      yield* block({ type: 'thinking', thinking: '', signature: '' }, [
        ...cut(reply.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'scripted' },
      ]);
    const texts = piecesOf(reply);
    if (texts.length > 0)
      yield* block(
        { type: 'text', text: '' },
        texts.map((text) => ({ type: 'text_delta', text })),
      );
    const names = (body.tools ?? []).map((tool) => tool.name);
    for (const call of reply.calls ?? []) {
      const [name, input] = toolCall(call, names);
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      yield* block({ type: 'tool_use', id: `toolu_${callId()}`, name, input: {} }, [delta]);
    }
    const stop_reason = reply.calls ? 'tool_use' : 'end_turn';
    yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } };
    yield { type: 'message_stop' };
  },
};

/** Returns whether a message is the user's: Claude passes on input during a running turn as a message of the system. */
const isOfUser = (role, content) =>
  role === 'user' || (role === 'system' && textOf(content).startsWith('The user sent a new message'));
/** Returns whether a text is more than a remark of the agent itself. */
const isSaid = (text) => text.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim() !== '';

const responses = {
  path: /\/responses$/,
  items: (body) =>
    (typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])).map((item) => {
      if (item.type?.endsWith('_output')) return { who: 'tool', text: textOf(item.output), images: 0 };
      const who = item.role === 'user' ? 'user' : 'other';
      return { who, text: textOf(item.content), images: imagesIn(item.content) };
    }),
  streams: (body) => body.stream === true,
  item: (text) => ({
    type: 'message',
    id: `msg_${callId()}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }),
  whole: ({ text = '' }, body) => ({
    id: 'resp_scripted',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: body.model,
    output: [responses.item(text)],
    usage: { input_tokens: 10, output_tokens: 9, total_tokens: 19 },
  }),
  *stream(reply, body) {
    const response = { ...responses.whole(reply, body), output: [] };
    let output_index = 0;
    yield { type: 'response.created', response: { ...response, status: 'in_progress' } };
    const done = (item) => {
      response.output.push(item);
      return { type: 'response.output_item.done', output_index: output_index++, item };
    };
    if (reply.thinking) {
      const summary = [{ type: 'summary_text', text: reply.thinking }];
      const item = { type: 'reasoning', id: `rs_${callId()}`, summary, encrypted_content: null };
      const place = { item_id: item.id, output_index, summary_index: 0 };
      yield { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } };
      yield { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } };
      for (const delta of cut(reply.thinking)) yield { type: 'response.reasoning_summary_text.delta', ...place, delta };
      yield { type: 'response.reasoning_summary_text.done', ...place, text: reply.thinking };
      yield done(item);
    }
    const texts = piecesOf(reply);
    if (texts.length > 0) {
      const item = responses.item(texts.join(''));
      const place = { item_id: item.id, output_index, content_index: 0 };
      yield { type: 'response.output_item.added', output_index, item: { ...item, content: [] } };
      for (const delta of texts) yield { type: 'response.output_text.delta', ...place, delta };
      yield { type: 'response.output_text.done', ...place, text: texts.join('') };
      yield done(item);
    }
    const names = (body.tools ?? []).map((tool) => tool.name);
    for (const call of reply.calls ?? []) {
      const [name, input] = toolCall(call, names);
      const item = { type: 'function_call', id: `fc_${callId()}`, call_id: callId(), name, status: 'completed' };
      yield { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } };
      yield done({ ...item, arguments: JSON.stringify(input) });
    }
    yield { type: 'response.completed', response };
  },
};

const chat = {
  path: /\/chat\/completions$/,
  items: (body) =>
    !hasTools(body)
      ? []
      : (body.messages ?? []).map(({ role, content }) => ({
          who: role === 'tool' || role === 'user' ? role : 'other',
          text: textOf(content),
          images: imagesIn(content),
        })),
  streams: (body) => body.stream === true,
  usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 },
  whole: ({ text = '' }, body) => ({
    id: 'chat_scripted',
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chat.usage,
  }),
  *stream(reply, body) {
    const piece = (choice, more) => ({
      id: 'chat_scripted',
      object: 'chat.completion.chunk',
      created: 0,
      model: body.model,
      choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [],
      ...more,
    });
    yield piece({ delta: { role: 'assistant', content: '' } });
    for (const reasoning_content of cut(reply.thinking ?? '')) yield piece({ delta: { reasoning_content } });
    for (const content of piecesOf(reply)) yield piece({ delta: { content } });
    const names = (body.tools ?? []).map((tool) => tool.function?.name);
    for (const [index, call] of (reply.calls ?? []).entries()) {
      const [name, input] = toolCall(call, names);
      const made = { name, arguments: JSON.stringify(input) };
      yield piece({ delta: { tool_calls: [{ index, id: callId(), type: 'function', function: made }] } });
    }
    yield piece({ delta: {}, finish_reason: reply.calls ? 'tool_calls' : 'stop' });
    yield piece(undefined, { usage: chat.usage });
    yield DONE;
  },
};

const gemini = {
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/,
  items: (body) =>
    (body.contents ?? []).flatMap(({ role, parts = [] }) => [
      ...parts
        .filter((part) => part.functionResponse)
        .map((part) => ({ who: 'tool', text: JSON.stringify(part.functionResponse.response), images: 0 })),
      ...(textOf(parts) === ''
        ? []
        : [{ who: role === 'user' ? 'user' : 'other', text: textOf(parts), images: imagesIn(parts) }]),
    ]),
  streams: (_body, pathname) => pathname.endsWith(':streamGenerateContent'),
  parts: (parts, more) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9, totalTokenCount: 19 },
    totalTokens: 10,
  }),
  // Only side questions are not streamed: the choice of a model, the next speaker.
  whole: () => gemini.parts([{ text: JSON.stringify(CLASSIFIED) }], { finishReason: 'STOP' }),
  *stream(reply, body) {
    for (const thought of reply.thinking?.split('\n\n') ?? [])
      yield gemini.parts([{ text: `**A thought**\n\n${thought}`, thought: true }]);
    for (const text of piecesOf(reply)) yield gemini.parts([{ text }]);
    const names = (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name));
    const parts = (reply.calls ?? []).map((call) => {
      const [name, args] = toolCall(call, names);
      return { functionCall: { id: callId(), name, args } };
    });
    yield gemini.parts(parts.length > 0 ? parts : [{ text: '' }], { finishReason: 'STOP' });
  },
};

export const WIRES = [anthropic, responses, chat, gemini];
