/** Tests the output of agents, their remaining processes and their refusals, through the bridge and in a pipe. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isAlive, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const programs = new URL('../packages/testkit/programs/', import.meta.url);
const SERVER = fileURLToPath(new URL('scripted-server.mjs', programs));
const SCRIPTED = fileURLToPath(new URL('scripted-agent.mjs', programs));
const PATIENCE_MS = 60_000;

test('[HTTP-1] an agent that prints its environment before it serves: the password is not in the output of the session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/password`;
  const script = `env | grep PASSWORD; echo "$OPENCODE_SERVER_PASSWORD" > ${file}; exec '${process.execPath}' '${SERVER}' "$@"`;
  const { id } = await client.agent('opencode', {
    program: ['sh', '-c', script, 'sh'],
    cwd: daemon.home,
    env: { PATH: process.env.PATH!, SCRIPTED_LOG: `${daemon.home}/agent.ndjson` },
  });
  const outputs: Buffer[] = [];
  for await (const item of client.watch(id)) {
    if (item.type === 'output') outputs.push(Buffer.from(item.bytes));
    if (Buffer.concat(outputs).includes('OPENCODE_SERVER_PASSWORD=')) break;
  }
  const output = Buffer.concat(outputs).toString();
  const password = readFileSync(file, 'utf8').trim();
  expect(password).toHaveLength(43);
  expect(output).toContain('OPENCODE_SERVER_PASSWORD=***');
  expect(output).not.toContain(password);
});

test('[HTTP-3] what a wrapper of an agent has left ends with the wrapper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/left`;
  const { id } = await client.agent('opencode', {
    program: ['sh', '-c', `sleep 1000 & echo $! > ${file}.new; mv ${file}.new ${file}; exit 3`],
    cwd: daemon.home,
    env: { PATH: process.env.PATH! },
  });
  expect(await client.wait(id)).toMatchObject({ exitCode: 3 });
  const left = Number(readFileSync(file, 'utf8'));
  await until('it is gone', () => !isAlive(left), PATIENCE_MS);
});

/** Runs `spool driver` with this agent; returns its output, and its end. */
function piped(
  args: readonly string[],
  script: string,
): { child: ReturnType<typeof spawn>; folder: string; out(): string; ended: Promise<number | null> } {
  const folder = mkdtempSync(`${tmpdir()}/spool-test-pipe-`);
  const agent = `${folder}/agent`;
  writeFileSync(agent, `#!/bin/sh\n${script}\n`);
  chmodSync(agent, 0o755);
  const env = { PATH: process.env.PATH, HOME: folder } as NodeJS.ProcessEnv;
  const child = spawn(SPOOL, ['driver', ...args, '--program', agent], { cwd: folder, env });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stdin.on('error', () => {});
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { child, folder, out: () => text, ended };
}

test('[PIPE-1] an agent that refuses its session while a prompt waits: `spool driver` ends', async () => {
  const lines = [
    `const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");`,
    `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {`,
    `  const { id, method } = JSON.parse(line);`,
    `  if (method === "initialize") say({ id, result: { userAgent: "codex/0.166.0" } });`,
    `  if (method === "thread/resume") say({ id, error: { code: -1, message: "no such thread" } });`,
    `});`,
  ];
  const run = piped(['codex', '--resume', 'gone'], `exec '${process.execPath}' -e '${lines.join(' ')}'`);
  run.child.stdin!.end(`${JSON.stringify({ do: 'prompt', clientId: 'p', content: [{ type: 'text', text: 'hi' }] })}\n`);
  await run.ended; // a prompt that will not be accepted is not waited for
  expect(run.out()).toContain('"fatal":true');
});

test('[PIPE-3] a stopped process of the agent can still end by itself: it is continued when it is asked to end', async () => {
  const script = [
    `(trap 'echo ended > left; exit 0' TERM; touch armed; while :; do sleep 0.05; done) & left=$!`,
    `while [ ! -e armed ]; do sleep 0.05; done; kill -STOP $left; touch stopped`,
    `exec '${process.execPath}' '${SCRIPTED}' received`,
  ].join('\n');
  const run = piped(['claude'], script);
  await until('it is stopped', () => existsSync(`${run.folder}/stopped`), PATIENCE_MS);
  run.child.kill('SIGTERM');
  await run.ended;
  expect(readFileSync(`${run.folder}/left`, 'utf8')).toBe('ended\n');
});
