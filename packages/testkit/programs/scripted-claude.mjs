/**
 * A program with the side channel of Claude Code in its terminal, for tests of the code around it: no model, no network. It runs the
 * hooks of its `--settings`, writes a transcript, and prints to its terminal. It takes lines:
 *
 *   turn WORDS    runs a tool and says WORDS
 *   ask WORDS     asks for the permission to run `echo WORDS`, and runs it or not
 *   y, n          answers in its dialog; without a dialog it does nothing
 *   flood N       prints N megabytes
 *
 * SCRIPTED_KEYS names a file that gets every byte from the terminal, each as soon as it is pressed.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { argv, env, exit, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

const VERSION = '2.1.326';
if (argv.includes('--version')) {
  stdout.write(`${VERSION} (Claude Code)\n`);
  exit(0);
}
const { hooks } = JSON.parse(readFileSync(argv[argv.indexOf('--settings') + 1], 'utf8'));
const folder = `${env.HOME}/.claude/projects/scripted`;
const transcript_path = `${folder}/s.jsonl`;
mkdirSync(folder, { recursive: true });
let turns = 0;

if (env.SCRIPTED_KEYS !== undefined) {
  const file = env.SCRIPTED_KEYS;
  stdin.setRawMode(true);
  stdin.on('data', (bytes) => appendFileSync(file, bytes));
}
const lines = createInterface({ input: stdin })[Symbol.asyncIterator]();
let next = lines.next();

/** Resolves with the next line, and takes it. */
async function takeLine() {
  const line = await next;
  next = lines.next();
  return line;
}

/** Starts the hook of an event. `printed` resolves with what it prints. */
function startHook(hook_event_name, input = {}) {
  const [{ hooks: own }] = hooks[hook_event_name];
  const child = spawn('sh', ['-c', own[0].command], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (text) => (printed += text));
  const common = { hook_event_name, session_id: 's', transcript_path, cwd: env.HOME };
  child.stdin.end(JSON.stringify({ ...common, ...input }));
  return { child, printed: new Promise((resolve) => child.on('close', () => resolve(printed))) };
}

/** Runs the hook of an event, and resolves with what it prints. */
const hook = (name, input) => startHook(name, input).printed;

const note = (line) => appendFileSync(transcript_path, `${JSON.stringify({ version: VERSION, ...line })}\n`);
const said = (id, content) => note({ type: 'assistant', message: { id, model: 'scripted', content: [content] } });
const got = (tool_use_id, content, more = {}) =>
  note({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id, content }] }, ...more });

async function begin(prompt) {
  const prompt_id = `p${++turns}`;
  stdout.write(`\x1b[36m● ${prompt}\x1b[0m\n`);
  note({ type: 'user', promptId: prompt_id, message: { content: prompt } });
  await hook('UserPromptSubmit', { prompt, prompt_id });
}

async function end(words) {
  stdout.write(`${words}\n`);
  said(`m${turns}`, { type: 'text', text: words });
  await hook('Stop');
  note({ type: 'system', subtype: 'turn_duration', durationMs: 1 });
  stdout.write('> ');
}

function run(tool, command, output) {
  stdout.write(`  ran ${command}\n`);
  said(`t${turns}`, { type: 'tool_use', id: tool, name: 'Bash', input: { command } });
  got(tool, output);
}

async function ask(words) {
  const tool = `tool-${turns}`;
  const command = `echo ${words}`;
  const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: tool };
  await hook('PreToolUse', call);
  stdout.write(`Do you want to run ${command}?\n`);
  const { child, printed } = startHook('PermissionRequest', call);
  const typed = next.then((line) => (isAnswer(line.value) ? line : printed));
  const first = await Promise.race([printed, typed]);
  if (typeof first !== 'string') await answered(tool, call, words, child);
  else {
    const { hookSpecificOutput: answer } = JSON.parse(first || '{}');
    const decision = answer?.decision ?? {};
    if (decision.behavior === 'allow') run(tool, decision.updatedInput?.command ?? command, words);
    else refuse(tool, command);
    await end(`${decision.behavior ?? 'no answer'}: ${words}`);
  }
}

/** Takes the answer from the dialog. As Claude does, it leaves the hook of an allowed request, and ends that of a refused one. */
async function answered(tool, call, words, child) {
  const { value } = await takeLine();
  if (value === 'y') {
    run(tool, call.tool_input.command, words);
    await hook('PostToolUse', { ...call, tool_response: {} });
  } else {
    child.kill('SIGTERM');
    refuse(tool, call.tool_input.command);
  }
  await end(`typed ${value}: ${words}`);
}

const isAnswer = (line) => line === 'y' || line === 'n';

function refuse(tool, command) {
  said(`t${turns}`, { type: 'tool_use', id: tool, name: 'Bash', input: { command } });
  got(tool, 'denied', { toolDenialKind: 'user' });
}

await hook('SessionStart', { source: 'startup', model: 'scripted' });
stdout.write('ready\n> ');
for (let { done, value: line } = await takeLine(); !done; { done, value: line } = await takeLine()) {
  if (isAnswer(line)) continue;
  const [word, ...rest] = line.split(' ');
  const words = rest.join(' ');
  if (word === 'flood') {
    const row = `${'flood '.repeat(12)}\n`;
    for (let bytes = 0; bytes < Number(words) * 1024 * 1024; bytes += 64 * row.length)
      if (!stdout.write(row.repeat(64))) await new Promise((resolve) => stdout.once('drain', () => resolve(undefined)));
    stdout.write('flooded\n> ');
    continue;
  }
  await begin(line);
  if (word === 'ask') await ask(words);
  else {
    run(`tool-${turns}`, `echo ${words}`, words);
    await end(`said ${words}`);
  }
}
