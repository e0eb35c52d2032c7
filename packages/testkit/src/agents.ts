/**
 * Sets up the real agents that `scripts/agents.mjs` downloads: each asks nothing at its start, and connects only to the scripted
 * model (`programs/scripted-model.mjs`). They must run inside of `offline` only.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = process.env.SPOOL_AGENTS ?? fileURLToPath(new URL('../../../.agents', import.meta.url));
const SCRIPTED_MODEL = fileURLToPath(new URL('../programs/scripted-model.mjs', import.meta.url));
const MODEL = 'http://127.0.0.1:8080';
/** A key that is not secret: it is sent only to the scripted model. */
const KEY = 'not-a-real-key';
const CTRL_C = 'c';
const CTRL_Q = 'q';

export interface Agent {
  readonly name: string;
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its settings, by their path in its home. */
  readonly settings: (project: string) => Readonly<Record<string, string>>;
  /** A text that is on its screen once it accepts a prompt. */
  readonly ready: string;
  /** A text below an answer once it accepts the next prompt; earlier input joins the turn that is still running. */
  readonly rested: string;
  readonly hasMouse: boolean;
  /** The key that ends it, with Ctrl; and its question, if the key is needed twice. */
  readonly quitKey: string;
  readonly quitAgain?: string;
}

export const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    program: `${FOLDER}/claude/claude`,
    arguments: [],
    env: {
      ANTHROPIC_BASE_URL: MODEL,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    settings: (project) => ({
      '.claude.json': JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: [KEY], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
    ready: 'auto mode on',
    rested: '· done',
    hasMouse: true,
    quitKey: CTRL_C,
    quitAgain: 'again to exit',
  },
  {
    name: 'codex',
    program: `${FOLDER}/codex/vendor/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-musl/bin/codex`,
    // Its daemon would outlive the session; plugins and apps are downloaded.
    arguments: ['--no-daemon', '--disable', 'plugins', '--disable', 'apps'],
    env: { SCRIPTED_KEY: KEY },
    settings: (project) => ({
      '.codex/config.toml': [
        'model = "scripted"',
        'model_provider = "scripted"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${MODEL}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        `[projects."${project}"]`,
        'trust_level = "trusted"',
      ].join('\n'),
    }),
    ready: 'Ask Codex to do anything',
    rested: 'Worked for',
    hasMouse: true,
    quitKey: CTRL_C,
  },
  {
    name: 'gemini',
    program: `${FOLDER}/gemini/bundle/gemini.js`,
    arguments: ['--skip-trust'],
    env: { GOOGLE_GEMINI_BASE_URL: MODEL, GEMINI_API_KEY: KEY, GEMINI_TELEMETRY_ENABLED: 'false' },
    settings: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
    ready: 'Type your message',
    rested: '? for shortcuts',
    hasMouse: false,
    quitKey: CTRL_C,
    quitAgain: 'again to exit',
  },
  {
    name: 'grok',
    program: `${FOLDER}/grok/bin/grok`,
    arguments: [],
    env: { GROK_TELEMETRY_ENABLED: '0', GROK_DISABLE_AUTOUPDATER: '1' },
    settings: () => ({
      '.grok/config.toml': [
        '[cli]',
        'auto_update = false',
        '[models]',
        'default = "scripted"',
        '[model.scripted]',
        'model = "scripted"',
        `base_url = "${MODEL}/v1"`,
        `api_key = "${KEY}"`,
        'api_backend = "chat_completions"',
        'context_window = 200000',
      ].join('\n'),
    }),
    ready: 'Logged in with API key',
    rested: 'Worked for',
    hasMouse: true,
    quitKey: CTRL_Q,
    quitAgain: 'again to quit',
  },
  {
    name: 'opencode',
    program: `${FOLDER}/opencode/bin/opencode`,
    arguments: [],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    settings: () => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${MODEL}/v1`, apiKey: KEY },
            models: {
              scripted: { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } },
            },
          },
        },
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        autoupdate: false,
      }),
    }),
    ready: 'Ask anything',
    rested: '▣  Build · scripted · ',
    hasMouse: true,
    quitKey: CTRL_C,
  },
  {
    name: 'qwen',
    program: `${FOLDER}/qwen/cli-entry.js`,
    arguments: [],
    env: { OPENAI_BASE_URL: `${MODEL}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'scripted' },
    settings: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
      }),
    }),
    ready: 'Type your message',
    rested: '  Auto mode (',
    hasMouse: false,
    quitKey: CTRL_C,
    quitAgain: 'again to exit',
  },
];

/**
 * The retries of tests with third-party programs, which sometimes fail by themselves: Grok was once seen (in eight runs) to take
 * the terminal's answer to its own question for keys. A test that fails three times shows a fault of ours.
 */
export const AGAIN = { retry: 2 };

/** The time limit of a step of a real agent, only for tests that hang: beside many busy processes the start of OpenCode takes minutes. */
export const AGENT_STEP_MS_MAX = 150_000;

export function isInstalled(agent: Agent): boolean {
  return existsSync(agent.program);
}

/**
 * Returns the command of an agent beside a scripted model. A bundle of JavaScript is run by our Node, other programs run by
 * themselves.
 */
export function commandOf(agent: Agent, extra: readonly string[] = []): readonly string[] {
  const command = [agent.program, ...agent.arguments, ...extra];
  return [process.execPath, SCRIPTED_MODEL, ...(agent.program.endsWith('.js') ? [process.execPath] : []), ...command];
}

/** A home with the agent's settings and a project in it. */
export class AgentHome {
  readonly #folder = mkdtempSync(`${tmpdir()}/spool-test-agent-`);
  readonly project = `${this.#folder}/project`;
  readonly env: Readonly<Record<string, string>>;

  constructor(agent: Agent) {
    mkdirSync(this.project);
    mkdirSync(`${this.#folder}/tmp`);
    for (const [path, content] of Object.entries(agent.settings(this.project))) {
      mkdirSync(dirname(`${this.#folder}/${path}`), { recursive: true });
      writeFileSync(`${this.#folder}/${path}`, content);
    }
    this.env = { HOME: this.#folder, TMPDIR: `${this.#folder}/tmp`, LANG: 'C.UTF-8', ...agent.env };
  }

  /**
   * Creates a program with the agent's own name, as a user has it: it starts the agent beside the scripted model, by `offline`.
   * With `"$@"` it passes its arguments on.
   */
  launcher(agent: Agent, offline: string, rest: '' | '"$@"' = ''): string {
    const path = `${this.#folder}/bin/${agent.name}`;
    const words = [offline, ...commandOf(agent)].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\nexec ${words.join(' ')} ${rest}\n`, { mode: 0o755 });
    return path;
  }

  /** Creates a program with the agent's own name, as a user has it: without a model, which runs in the same network. */
  alias(agent: Agent): string {
    const path = `${this.#folder}/bin/${agent.name}`;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(agent.program, path);
    return path;
  }

  /** The file in which the scripted model records its requests, with `SCRIPTED_FACTS`. */
  get facts(): string {
    return `${this.#folder}/facts`;
  }

  /** The paths of all files, relative to the home. */
  files(): string[] {
    const names = readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    return names
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(this.#folder.length));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
