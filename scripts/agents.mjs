/**
 * Downloads the real agents for `tests/agents.test.ts`: `node scripts/agents.mjs [claude] [codex] [gemini] [grok] [opencode]
 * [qwen]` (default: all). The script is plain JavaScript without dependencies, for any Node from 18 on. `claude@2.1.300`
 * downloads another version, into a folder of that name, for recordings (`npm run record`): its bytes are not pinned here, only
 * compared with the hash from npm.
 *
 * They are third-party programs. So the version and the hash of every package are written here, none of their scripts is run,
 * none of them is started, and they are in a separate folder (`.agents`, or `SPOOL_AGENTS`), outside of our dependencies. Each
 * package is the one with the program for this machine; the launchers around it are not needed.
 *
 * stdout gets a line for each agent: its name and the path of its program. Existing programs are not downloaded again. An agent
 * that is not available is reported on stderr and is not a failure: its test is then skipped.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { arch, argv, env, exit, pid, stderr, stdout } from 'node:process';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const FOLDER = env.SPOOL_AGENTS || join(dirname(dirname(fileURLToPath(import.meta.url))), '.agents');

/** A `.br` program is stored compressed. A package without a machine runs with Node, on all of them. */
const AGENTS = {
  claude: {
    program: 'claude',
    x64: {
      package: '@anthropic-ai/claude-code-linux-x64@2.1.325',
      sha512: 'BqZzMvP/zgLLL34S+7OzbG+cyoFp7gwWHU5koVwsyMlTAz+0zZAmbY+UkzvtN2RXxp6AcMenbYIjQJxoXfUY3w==',
    },
    arm64: {
      package: '@anthropic-ai/claude-code-linux-arm64@2.1.325',
      sha512: 'NCvQcOxr685Y4mkYUjQT8l/Ouzw0k2xWloWeyzfsUtWiOedHosPkaW6XCSpzAl1dMuvDNBF97qpWgVDrSdK2Vw==',
    },
  },
  codex: {
    program: 'vendor/MACHINE-unknown-linux-musl/bin/codex',
    x64: {
      package: '@openai/codex@0.166.0-linux-x64',
      sha512: 'CxDm3+D1cpbGJeHrdzINoG+3wn9BVncP4qpZaaNYkxe8iPtRJOYyCJnnPoVjWRIBvI9vPKbRoifsMSA5xDaUpw==',
    },
    arm64: {
      package: '@openai/codex@0.166.0-linux-arm64',
      sha512: 'w0ScAsBr9aZKtIFrh6HN6KU2yjKKeSCzYfbb7DB0Ccj4BYPzeZtUeQprbycLCwuX3AFQdbdjapmLho2iot74jQ==',
    },
  },
  gemini: {
    program: 'bundle/gemini.js',
    any: {
      package: '@google/gemini-cli@0.61.0',
      sha512: 'dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==',
    },
  },
  grok: {
    program: 'bin/grok.br',
    x64: {
      package: '@xai-official/grok-linux-x64@1.0.41',
      sha512: '5KS0AMeGYQh3++0EEZPKVjAcalFQma8K5SKMhBu1k1OVNpA/lO+fRgecS1/kOsLaGaPDPfQm611Z+a5J9dLfAg==',
    },
  },
  opencode: {
    program: 'bin/opencode',
    x64: {
      package: 'opencode-linux-x64@1.18.33',
      sha512: 'q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==',
    },
  },
  qwen: {
    program: 'cli-entry.js',
    any: {
      package: '@qwen-code/qwen-code@0.24.4',
      sha512: 'pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==',
    },
  },
};
/** Options for a short wait: without a network, npm would otherwise try for more than a minute for each package. */
const IMPATIENT = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000'];
const MACHINE = { x64: 'x86_64', arm64: 'aarch64' }[arch] ?? arch;

const names = argv.length > 2 ? argv.slice(2) : Object.keys(AGENTS);
const unknown = names.find((name) => !Object.hasOwn(AGENTS, name.split('@')[0]));
if (unknown) {
  stderr.write(`agents: there is no agent ${unknown}, only ${Object.keys(AGENTS).join(', ')}\n`);
  exit(2);
}
sweep();
for (const name of names) {
  try {
    stdout.write(`${name} ${await bring(name)}\n`);
  } catch (error) {
    stderr.write(`agents: ${name} cannot be had: ${error.message}\n`);
  }
}

/** Removes files that killed runs have left. */
function sweep() {
  for (const folder of fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER) : []) {
    const owner = /^\.[a-z]+(?:@[\d.]+)?-(\d+)$/.exec(folder)?.[1];
    if (owner && !fs.existsSync(`/proc/${owner}`)) fs.rmSync(join(FOLDER, folder), { recursive: true, force: true });
  }
}

/** Returns the path of the agent's program, which exists afterwards. */
async function bring(name) {
  const [own, version] = name.split('@');
  const agent = AGENTS[own];
  const pinned = agent.any ?? agent[arch];
  const source = version && pinned ? { package: otherVersion(pinned.package, version) } : pinned;
  if (!source) throw new Error(`it is not pinned for this machine (${arch})`);
  const home = join(FOLDER, name);
  const stored = agent.program.replace('MACHINE', MACHINE);
  const program = stored.replace(/\.br$/, '');
  if (read(join(home, 'package.txt')) === source.package) return join(home, program);

  const staging = join(FOLDER, `.${name}-${pid}`);
  const begunAt = Date.now();
  try {
    fs.mkdirSync(staging, { recursive: true });
    const { archive, bytes } = await download(source, staging);
    await run('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner'], staging);
    fs.rmSync(archive);
    if (stored !== program) await decompress(join(staging, stored), join(staging, program));
    if (!fs.existsSync(join(staging, program))) throw new Error(`there is no ${program} in ${source.package}`);
    fs.writeFileSync(join(staging, 'package.txt'), source.package);
    fs.rmSync(home, { recursive: true, force: true });
    fs.renameSync(staging, home);
    const seconds = ((Date.now() - begunAt) / 1000).toFixed(1);
    stderr.write(`agents: ${source.package}, ${Math.round(bytes / 1e6)} MB, in ${seconds} s\n`);
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
  return join(home, program);
}

/** Returns the package of another version: `@openai/codex@0.166.0-linux-x64` has the machine behind the version. */
function otherVersion(spec, version) {
  return spec.replace(/@\d[\d.]*(?=-|$)/, () => `@${version}`);
}

/**
 * Downloads a package with `npm pack`, from npm's configured registry; that neither unpacks the package nor runs any of its
 * scripts.
 */
async function download({ package: spec, sha512 }, folder) {
  const cache = `--cache=${join(folder, '.npm')}`;
  await run('npm', ['pack', spec, '--ignore-scripts', '--loglevel=error', ...IMPATIENT, cache], folder);
  const archive = join(folder, fs.readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? 'nothing.tgz');
  const hash = createHash('sha512');
  await pipeline(fs.createReadStream(archive), hash);
  if (sha512 && hash.digest('base64') !== sha512) throw new Error(`${spec} has not the bytes that are pinned here`);
  fs.rmSync(join(folder, '.npm'), { recursive: true, force: true });
  return { archive, bytes: fs.statSync(archive).size };
}

async function decompress(from, to) {
  await pipeline(fs.createReadStream(from), createBrotliDecompress(), fs.createWriteStream(to, { mode: 0o755 }));
  fs.rmSync(from);
}

async function run(program, args, cwd) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said.trim().slice(-400)}`);
}

function read(path) {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}
