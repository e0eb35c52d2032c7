/**
 * Reports when an agent is started without an API key that the user has set: sessions get an allow-list of the environment, which
 * has no keys [RUN-21]. It prints names only, never values.
 */
import { rememberHint, wasHintShown } from '../output/shown-hints.ts';

const KEYS: Readonly<Record<string, RegExp>> = {
  claude: /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|BASE_URL)|CLAUDE_CODE_(OAUTH_TOKEN|USE_BEDROCK|USE_VERTEX))$/,
  codex: /^(OPENAI_(API_KEY|BASE_URL)|CODEX_API_KEY)$/,
  gemini: /^(GEMINI|GOOGLE)_API_KEY$|^GOOGLE_(APPLICATION_CREDENTIALS|CLOUD_PROJECT|GENAI_USE_VERTEXAI)$/,
  grok: /^(XAI|GROK)_API_KEY$/,
  copilot: /^(GH|GITHUB|COPILOT_GITHUB)_TOKEN$/,
};
/** Agents that work with the models of several companies. */
const ANY_AGENT: ReadonlySet<string> = new Set('opencode aider goose crush amp qwen cursor-agent llm pi'.split(' '));
const ANY_KEY = /^[A-Z][A-Z0-9_]*_API_KEY$/;

/** Returns the likely keys of this program that the session does not get. */
export function droppedKeys(
  command: readonly string[],
  own: Readonly<Record<string, string | undefined>>,
  passed: Readonly<Record<string, string>>,
): readonly string[] {
  const program = command[0]?.split('/').at(-1) ?? '';
  const isKey = Object.hasOwn(KEYS, program) ? KEYS[program]! : ANY_AGENT.has(program) ? ANY_KEY : undefined;
  if (!isKey) return [];
  return Object.keys(own).filter((name) => isKey.test(name) && own[name] !== '' && !Object.hasOwn(passed, name));
}

/** Returns one line the first time that these keys are dropped; later null. */
export function droppedKeysHint(program: string, names: readonly string[]): string | null {
  const untold = names.filter((name) => !wasHintShown(`env ${name}`));
  if (untold.length === 0) return null;
  for (const name of untold) rememberHint(`env ${name}`);
  const flags = untold.map((name) => `--env ${name}`).join(' ');
  const list = untold.map((name) => JSON.stringify(name)).join(', ');
  const always = `"env": [${list}] in config.json (spool config path)`;
  return `[spool: ${program} does not get your ${untold.join(', ')}; to pass it: ${flags}, or always: ${always}; shown once]`;
}
