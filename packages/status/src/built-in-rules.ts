/** The built-in rules. They pass the same checks as users' files; a failure is a bug in our code. */
import any from './rules/any.json' with { type: 'json' };
import claude from './rules/claude.json' with { type: 'json' };
import codex from './rules/codex.json' with { type: 'json' };
import gemini from './rules/gemini.json' with { type: 'json' };
import grok from './rules/grok.json' with { type: 'json' };
import opencode from './rules/opencode.json' with { type: 'json' };
import qwen from './rules/qwen.json' with { type: 'json' };
import shell from './rules/shell.json' with { type: 'json' };
import { parseRules, type RuleSet } from './rules.ts';

export const BUILT_IN_RULES: readonly RuleSet[] = Object.entries({
  claude,
  codex,
  qwen,
  gemini,
  grok,
  opencode,
  shell,
  any,
}).map(([name, json]) => {
  const { rules, errors } = parseRules(`rules/${name}.json`, json);
  if (rules === null || errors.length > 0) throw new Error(errors.join('\n'));
  return rules;
});
