/**
 * Finds the agent that a command starts, also through programs that only start others: `env X=1 npx -y @openai/codex`, `node
 * /usr/lib/node_modules/@google/gemini-cli/dist/index.js`, `bash -lc 'exec claude'`.
 */
import type { RuleSet } from '../rules.ts';

export function agentOfCommand(rules: readonly RuleSet[], command: readonly string[]): string | null {
  let words = command.slice(0, WORDS_MAX);
  let shell: string | null = null;
  for (let depth = 0; depth < DEPTH_MAX && words.length > 0; depth++) {
    const [program = '', ...rest] = words;
    const found = agentOfProgram(rules, program);
    if (found !== null && found !== SHELL) return found;
    if (found === SHELL) {
      shell = SHELL;
      const script = scriptOf(rest);
      if (script === undefined) return shell;
      words = wordsOf(script);
    } else if (STARTERS.has(baseName(program)) || isAssignment(program)) {
      words = withoutOptions(rest);
    } else return shell;
  }
  return shell;
}

/** Returns the script of a shell: `sh -c 'claude'` is not an interactive shell; without a script it is one. */
function scriptOf(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  return at === -1 ? undefined : args[at + 1];
}

/** Finds the agent by the program's name, or by a package in its path. */
function agentOfProgram(rules: readonly RuleSet[], program: string): string | null {
  const name = baseName(program);
  const path = `/${program.replaceAll('\\', '/')}/`;
  for (const { agent, commands } of rules) {
    if (agent === null) continue;
    for (const known of commands) {
      if (known.includes('/') || known.includes('-')) {
        if (path.includes(`/${known}/`) || path.includes(`/${known}@`)) return agent;
      }
      if (known === name) return agent;
    }
  }
  return null;
}

/**
 * Returns the name without folders, the dash of a login shell, and the suffixes of npm and Windows; for `codex@latest`, the part
 * before the version.
 */
function baseName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return name
    .replace(/^-/, '')
    .replace(/\.(?:exe|cmd|bat|ps1|[cm]?[jt]s)$/, '')
    .replace(/(.)@.*$/, '$1');
}

/** Removes options, and the subcommands of package runners. */
function withoutOptions(args: readonly string[]): string[] {
  const from = args.findIndex((arg) => !arg.startsWith('-') && !isAssignment(arg) && !RUN_WORDS.has(arg));
  return from === -1 ? [] : args.slice(from);
}

/** Splits a script into words, precisely enough for a name: quotes are removed, escapes stay. */
const wordsOf = (script: string): string[] =>
  script
    .slice(0, SCRIPT_CHARACTERS_MAX)
    .split(/[\s'"]+/)
    .filter((word) => word !== '' && word !== 'exec');

const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*=/.test(word);

export const SHELL = 'shell';
const DEPTH_MAX = 6;
const WORDS_MAX = 64;
const SCRIPT_CHARACTERS_MAX = 4096;
const STARTERS: ReadonlySet<string> = new Set([
  ...['env', 'sudo', 'doas', 'nohup', 'nice', 'ionice', 'time', 'stdbuf', 'setsid', 'command', 'exec', 'unbuffer'],
  ...['node', 'bun', 'deno', 'npx', 'bunx', 'pnpx', 'npm', 'pnpm', 'yarn', 'tsx', 'uvx', 'mise', 'volta', 'direnv'],
]);
const RUN_WORDS: ReadonlySet<string> = new Set(['x', 'exec', 'dlx', 'run', '.']);
