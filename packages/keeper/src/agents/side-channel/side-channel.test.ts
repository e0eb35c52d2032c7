import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { RunRequest } from '@spool/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgramVersions, type VersionAnswer } from './program-version.ts';
import { settleSideChannel, sideChannelOf, SideChannels, socketPath } from './side-channel.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(`${tmpdir()}/spool-side-`)));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs a program named codex, which counts its calls. */
function install(version: string): void {
  writeFileSync(`${folder}/codex`, `#!/bin/sh\necho asked >> ${folder}/asked\n${version}\n`);
  chmodSync(`${folder}/codex`, 0o755);
}

const request = (rest: Partial<RunRequest> = {}): RunRequest => ({
  id: 'aaaaaaaaaa',
  command: ['codex', '-c', 'a=b'],
  cwd: '/',
  env: { PATH: `${folder}:/usr/bin:/bin` },
  size: { cols: 80, rows: 24 },
  ...rest,
});
const channels = (isWanted = true): SideChannels =>
  new SideChannels({
    home: () => ({ runs: [`${folder}/run`], sessions: `${folder}/sessions` }),
    isWanted: () => isWanted,
  });

test('[RUN-27] a known Codex gets a server in a private folder, with the settings of the command line', async () => {
  install('echo codex-cli 0.169.0');
  const socket = `${folder}/run/aaaaaaaaaa/codex.sock`;
  const plan = await channels().plan(request());
  expect(plan).toMatchObject({
    version: '0.169.0',
    socket,
    launch: {
      file: `${folder}/codex`,
      server: ['codex', 'app-server', '-c', 'a=b', '--listen', `unix://${socket}`],
      extra: ['--remote', `unix://${socket}`],
    },
  });
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
});

test('[RUN-47] what is not known, not wanted or not Codex in a terminal runs as typed', async () => {
  install('echo codex-cli 9.9.9');
  const { plan } = { plan: (run: RunRequest, isWanted = true) => channels(isWanted).plan(run) };
  expect(await plan(request())).toEqual({
    agent: 'codex',
    version: '9.9.9',
    why: expect.stringContaining('9.9.9 is not'),
  });
  expect(await plan(request({ sideChannel: false }))).toMatchObject({
    why: expect.stringContaining('--no-side-channel'),
  });
  expect(await plan(request(), false)).toMatchObject({ why: expect.stringContaining('config.json') });
  expect(await plan(request({ command: ['codex', 'exec', 'x'] }))).toMatchObject({ why: expect.any(String) });
  expect(await plan(request({ env: { PATH: '/nowhere' } }))).toMatchObject({ why: 'codex was not found' });
  expect(await plan(request({ size: undefined }))).toBeUndefined();
  expect(await plan(request({ command: ['vim', 'codex'] }))).toBeUndefined();
  expect(existsSync(`${folder}/run`)).toBe(false);
});

test('[RUN-47] a binary is asked for its version once, a script each time, and a program that hangs is given up and ended', async () => {
  const versions = new ProgramVersions('codex', /^codex-cli (\d+\.\d+\.\d+)$/m);
  install(`exec ${folder}/codex-of-today`);
  const update = (version: string): void =>
    writeFileSync(`${folder}/codex-of-today`, `#!/bin/sh\necho codex-cli ${version}\n`, { mode: 0o755 });
  for (const version of ['0.169.0', '0.170.0']) {
    update(version); // the script itself stays the same
    expect(await versions.ask(`${folder}/codex`, request())).toEqual({ version });
  }
  copyFileSync('/bin/echo', `${folder}/binary`);
  const binaries = new ProgramVersions('binary', /^echo .* (\d+\.\d+)$/m);
  const first = await binaries.ask(`${folder}/binary`, request());
  expect(first).toEqual({ version: expect.any(String) });
  expect(await binaries.ask(`${folder}/binary`, request(), 0)).toEqual(first);
  install(`echo $$ > ${folder}/pid; exec sleep 1000`);
  const answer = await versions.ask(`${folder}/codex`, request(), 1000);
  expect(answer).toEqual({ why: '`codex --version` did not answer within 1 s' });
  if (existsSync(`${folder}/pid`)) {
    const pid = Number(readFileSync(`${folder}/pid`, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
  }
});

test('[RUN-47] what a program prints without end, oddly or by a process that it leaves is no known version', async () => {
  const versions = new ProgramVersions('codex', /^codex-cli (\d+\.\d+\.\d+)$/m);
  const ask = (): Promise<VersionAnswer> => versions.ask(`${folder}/codex`, request(), 2000);
  install('exec yes codex-cli 0.169.0');
  expect(await ask()).toEqual({ why: expect.stringContaining('did not answer') });
  for (const odd of ['v0.169.0', '0.169.0', 'codex-cli 0.169.0-beta.1', 'codex-cli 0.169', '']) {
    install(`echo '${odd}'`);
    expect(await ask()).toEqual({ why: expect.stringContaining('printed no known version') });
  }
  install(`head -c 3000000 /dev/zero | tr '\\0' x; echo; echo codex-cli 0.169.0`);
  expect(await ask()).toEqual({ why: expect.stringContaining('printed no known version') });
});

test('[RUN-47] a path that is too long for a socket is not used', () => {
  const long = `/${'x'.repeat(90)}`;
  expect(socketPath(['/run/user/1/spool', '/state/run'], 'aaaaaaaaaa')).toBe('/state/run/aaaaaaaaaa/codex.sock');
  expect(socketPath(['/run/user/1/spool', long], 'aaaaaaaaaa')).toBe('/run/user/1/spool/aaaaaaaaaa/codex.sock');
  expect(socketPath([long], 'aaaaaaaaaa')).toBeNull();
});

test('[RUN-28] the end of a session removes the socket, what Codex links it to, and nothing else', async () => {
  install('echo codex-cli 0.169.0');
  const agentServer = (await channels().plan(request()))!;
  const run = request({ agentServer });
  expect(sideChannelOf(run)).toMatchObject({ socket: null, why: 'its server is being started' });
  writeFileSync(agentServer.launch!.outcome, 'R');
  expect(sideChannelOf(run)).toMatchObject({ socket: agentServer.socket, why: null });
  mkdirSync(`${folder}/shared`);
  const server = createServer().listen(`${folder}/shared/one`);
  await once(server, 'listening');
  writeFileSync(`${folder}/shared/one.lock`, '');
  writeFileSync(`${folder}/shared/two`, '');
  symlinkSync(`${folder}/shared/one`, agentServer.socket!);
  const ended = { agent: 'codex', version: '0.169.0', isRelayed: true, why: 'the session has ended' };
  expect(settleSideChannel(run)).toEqual(ended);
  await vi.waitFor(() => expect(existsSync(`${folder}/run/aaaaaaaaaa`)).toBe(false), 10_000);
  expect(['one', 'one.lock', 'two'].map((name) => existsSync(`${folder}/shared/${name}`))).toEqual([
    false,
    false,
    true,
  ]);
  server.close();
});

test('[RUN-47] a server that could not be started is explained, also after the end', async () => {
  install('echo codex-cli 0.169.0');
  const agentServer = (await channels().plan(request()))!;
  writeFileSync(agentServer.launch!.outcome, 'it ended with 3: no');
  const why = 'its server could not be started: it ended with 3: no';
  expect(sideChannelOf(request({ agentServer }))).toMatchObject({ socket: null, why });
  expect(settleSideChannel(request({ agentServer }))).toMatchObject({ why });
});

test('[CHAN-1] Claude gets its hooks by an argument, in a private folder of its session', async () => {
  writeFileSync(`${folder}/claude`, '#!/bin/sh\necho "2.1.326 (Claude Code)"\n', { mode: 0o755 });
  writeFileSync(`${folder}/it's a hook`, '#!/bin/sh\necho "$1" "$2"\n', { mode: 0o755 });
  const claude = (isWanted = true): SideChannels =>
    new SideChannels({
      home: () => ({ runs: [], sessions: `${folder}/sessions` }),
      isWanted: () => isWanted,
      hook: `${folder}/it's a hook`,
    });
  const run = request({ command: ['claude', '--model', 'opus'] });
  const channel = `${folder}/sessions/aaaaaaaaaa/channel`;
  const plan = { agent: 'claude', version: '2.1.326', hooked: ['--settings', `${channel}/settings.json`] } as const;
  expect(await claude().plan(run)).toEqual(plan);
  expect(await claude().plan(run)).toEqual(plan); // by a keeper whose predecessor died
  expect(sideChannelOf(request({ agentServer: plan }))).toMatchObject({ hasEvents: true, why: null });
  expect(statSync(channel).mode & 0o777).toBe(0o700);
  const { hooks } = JSON.parse(readFileSync(`${channel}/settings.json`, 'utf8')) as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  };
  const printed = (event: string): string => execFileSync('sh', ['-c', hooks[event]![0].hooks[0].command]).toString();
  expect(printed('Stop')).toBe(`${channel} \n`);
  expect(printed('PermissionRequest')).toBe(`${channel} hold\n`);
  rmSync(`${channel}/hook`);
  expect(printed('PermissionRequest')).toBe(''); // Spool was removed: Claude works on
  expect(await claude(false).plan(run)).toMatchObject({ why: expect.stringContaining('config.json') });
  expect(await claude().plan({ ...run, sideChannel: false })).toMatchObject({ why: expect.any(String) });
  writeFileSync(`${folder}/claude`, '#!/bin/sh\necho "9.9.9 (Claude Code)"\n', { mode: 0o755 });
  expect(await claude().plan(run)).toEqual({
    agent: 'claude',
    version: '9.9.9',
    why: expect.stringContaining('9.9.9'),
  });
});

test('[CHAN-31] Gemini gets the id of its chat by an argument; a subcommand, a resumed chat and another version run as typed', async () => {
  mkdirSync(`${folder}/package/bundle`, { recursive: true });
  const version = (number: string): void =>
    writeFileSync(`${folder}/package/package.json`, JSON.stringify({ name: '@google/gemini-cli', version: number }));
  version('0.61.0');
  writeFileSync(`${folder}/package/bundle/gemini.js`, `#!/bin/sh\necho started >> ${folder}/started\n`, {
    mode: 0o755,
  });
  symlinkSync(`${folder}/package/bundle/gemini.js`, `${folder}/gemini`);
  const run = request({ command: ['gemini', '--yolo'], env: { PATH: folder, HOME: '/home/ann' } });
  const plan = await channels().plan(run);
  const { hooked } = plan!;
  expect(plan).toEqual({ agent: 'gemini', version: '0.61.0', hooked: ['--session-id', expect.any(String)] });
  expect(JSON.parse(readFileSync(`${folder}/sessions/aaaaaaaaaa/channel/chat.json`, 'utf8'))).toEqual({
    folder: '/home/ann/.gemini/tmp',
    session: hooked![1],
  });
  for (const words of [['mcp', 'list'], ['-r', 'latest'], ['--session-id=x'], ['-p', 'x'], ['--acp']])
    expect(await channels().plan({ ...run, command: ['gemini', ...words] })).toEqual({
      agent: 'gemini',
      why: expect.any(String),
    });
  version('9.9.9');
  expect(await channels().plan(run)).toMatchObject({ version: '9.9.9', why: expect.stringContaining('9.9.9') });
  expect(existsSync(`${folder}/started`)).toBe(false);
});

test('[CHAN-2, CHAN-32] OpenCode gets a port, and a password that is in no argument; another version runs as typed', async () => {
  writeFileSync(`${folder}/opencode`, '#!/bin/sh\necho 1.18.33\n', { mode: 0o755 });
  const all = channels();
  const run = request({ command: ['opencode'] });
  const plan = await all.plan(run);
  const file = `${folder}/sessions/aaaaaaaaaa/channel/relay.json`;
  const { port, password } = JSON.parse(readFileSync(file, 'utf8')) as { port: number; password: string };
  const hooked = ['--port', String(port), '--hostname', '127.0.0.1'];
  expect(plan).toEqual({ agent: 'opencode', version: '1.18.33', isRelayed: true, hooked });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(all.takeSecrets(run.id)).toEqual({ OPENCODE_SERVER_PASSWORD: password });
  expect(all.takeSecrets(run.id)).toEqual({});
  writeFileSync(`${folder}/opencode`, '#!/bin/sh\necho 1.18.99\n', { mode: 0o755 });
  expect(await channels().plan(run)).toMatchObject({ why: expect.stringContaining('1.18.99') });
});

test('[CHAN-1] Grok gets a leader in a private folder, and its second client only the variables that it needs', async () => {
  writeFileSync(`${folder}/grok`, '#!/bin/sh\necho "grok 1.0.41 (4220f3b)"\n');
  chmodSync(`${folder}/grok`, 0o755);
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: '/home/x', XAI_API_KEY: 'secret' };
  const plan = (await channels().plan(request({ command: ['grok', '-m', 'x'], env })))!;
  const socket = `${folder}/run/aaaaaaaaaa/grok.sock`;
  expect(plan).toMatchObject({
    agent: 'grok',
    version: '1.0.41',
    isRelayed: true,
    socket,
    launch: { extra: ['--leader', '--leader-socket', socket] },
  });
  const target = readFileSync(`${folder}/sessions/aaaaaaaaaa/channel/relay.json`, 'utf8');
  expect(JSON.parse(target)).toMatchObject({ agent: 'grok', socket, env: { HOME: '/home/x' } });
  expect(target).not.toContain('secret');
});
