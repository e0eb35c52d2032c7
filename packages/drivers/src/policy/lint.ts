/**
 * Finds rules of a policy that do not have their apparent effect: a `*` that covers nothing, a rule that can never match, a rule
 * that another one makes useless. It also explains what rules without limits allow. Keeps POL-8.
 */
import { hasGrammar, understandCommand } from './grammar/command-grammar.ts';
import { knownTool } from './known-tools.ts';
import { readLiteralLine } from './literal-line.ts';
import { matchesGlob, type PatternWord, patternWords } from './patterns.ts';
import type { Policy, PolicyRule } from './policy.ts';
import { quoteWords } from './quoting.ts';

export interface PolicyFinding {
  /** The number of the rule, from 1. */
  readonly rule: number;
  /** A note explains what a rule means; a fault is a rule without its apparent effect. */
  readonly level: 'fault' | 'note';
  readonly message: string;
}

export function lintPolicy({ rules }: Policy): PolicyFinding[] {
  return rules.flatMap((rule, at) => {
    const faults = [...ruleFaults(rule), ...orderFaults(rules, rule, at)];
    const notes = faults.length > 0 ? [] : ruleNotes(rule);
    return [
      ...faults.map((message): PolicyFinding => ({ rule: at + 1, level: 'fault', message })),
      ...notes.map((message): PolicyFinding => ({ rule: at + 1, level: 'note', message })),
    ];
  });
}

function ruleFaults(rule: PolicyRule): string[] {
  const { decision, tool, command, path } = rule;
  const faults: string[] = [];
  if (command !== undefined && path !== undefined)
    faults.push(
      decision === 'allow'
        ? 'a rule with a command and a path can never match; write two rules'
        : 'a rule with a command and a path only makes such commands ask; write two rules',
    );
  if (command !== undefined && tool !== undefined && (knownTool(tool)?.kind ?? 'execute') !== 'execute')
    faults.push(`the tool ${tool} runs no commands, so this rule can never match`);
  if (path !== undefined) faults.push(...pathFaults(decision, path));
  if (rule.arguments === 'any' && (decision !== 'allow' || path !== undefined))
    faults.push('"arguments" counts only in rules that allow a command or a tool');
  if (decision !== 'allow') return faults;
  if (tool === 'execute' && command === undefined)
    faults.push('execute is a kind of request and not a tool: a rule that allows it needs a command');
  if (command !== undefined) faults.push(...commandFaults(rule, patternWords(command)));
  return faults;
}

function pathFaults(decision: string, path: string): string[] {
  if (/^~[^/]|\$(?!HOME(\/|$)|\{HOME\}(\/|$))/.test(path))
    return ['only a shell could replace what this path begins with'];
  if (/(^|\/)\.\.(\/|$)/.test(path.replace(/^(\.\.\/)+/, '')))
    return ['a pattern with .. in it can never match a real path'];
  if (decision === 'deny' && !/[/*]/.test(path))
    return [`this denies one file in the agent's folder; ${JSON.stringify(`**/${path}`)} denies it everywhere`];
  return [];
}

function commandFaults(rule: PolicyRule, pattern: readonly PatternWord[]): string[] {
  const [name, second] = pattern;
  const literal = readLiteralLine(quoteWords(pattern.map(({ text }) => text)));
  if (!name || 'doubt' in literal || literal.commands.length !== 1)
    return [
      `a line with these words is never understood: it ${'doubt' in literal ? literal.doubt : 'is not a command'}`,
    ];
  const active = /[|&;<>$`(){}?[\]#!\\]/.exec(rule.command!.replace(/'[^']*'|"[^"]*"/g, ''))?.[0];
  if (active !== undefined)
    return [`a rule is about one command of literal words, and ${active} without quotes is never part of one`];
  const isExact = pattern.every(({ isLiteral }) => isLiteral);
  if (isExact) return rule.arguments === 'any' ? ['without * there are no other arguments that "any" could mean'] : [];
  if (rule.arguments === 'any') return [];
  if (!hasGrammar(name.text, second?.isLiteral === false ? '*' : second?.text))
    return [
      `no grammar of harmless options is known for ${name.text}${name.text === 'git' ? ` ${second?.text ?? ''}` : ''}, so * covers nothing; ` +
        'write the whole command, or add "arguments": "any"',
    ];
  const refusal = grammarRefusal(pattern);
  return refusal === undefined ? [] : [`no command that this rule means is known to be harmless: ${refusal}`];
}

/** Returns the reason why no command of this form is understood, after trying a few plain words for each `*`. */
function grammarRefusal(pattern: readonly PatternWord[]): string | undefined {
  if (pattern[0]?.text === 'git' && pattern[1]?.isLiteral !== true) return undefined;
  let refusal: string | undefined;
  for (const filler of ['x', '1', 'HEAD', '+x', '%s'])
    for (const more of [0, 1, 2]) {
      const words = pattern.flatMap(({ text, isLiteral }, at): string[] => {
        if (isLiteral) return [text];
        if (text === '*' && at === pattern.length - 1) return Array.from({ length: more }, () => filler);
        return [text.replaceAll('*', filler)];
      });
      const result = understandCommand(words);
      if ('understood' in result) return undefined;
      refusal ??= result.refusal;
    }
  return refusal;
}

/** Returns the faults that other rules cause. */
function orderFaults(rules: readonly PolicyRule[], rule: PolicyRule, at: number): string[] {
  const same = rules.findIndex((other) => sameMeaning(other, rule));
  if (same < at) return [`rule ${same + 1} says the same`];
  if (rule.decision !== 'allow') return [];
  const total = rules.findIndex(
    (other) =>
      other.decision !== 'allow' && other.command === undefined && other.path === undefined && coversTool(other, rule),
  );
  if (total >= 0) return [`rule ${total + 1} comes first for every request of this tool, so this rule never matches`];
  const isUnknown = rule.tool !== undefined && !rule.tool.includes('*') && !knownTool(rule.tool);
  const limit = rules.findIndex(
    (other) =>
      isUnknown &&
      other.decision !== 'allow' &&
      (other.command !== undefined || other.path !== undefined) &&
      coversTool(other, rule),
  );
  if (limit >= 0)
    return [
      `rule ${limit + 1} might mean anything that ${rule.tool} does, so this rule never matches; give rule ${limit + 1} the tools that it is meant for`,
    ];
  const isOpen = rule.arguments === 'any' && rule.command !== undefined;
  const doubt = rules.findIndex((other) => isOpen && other.decision !== 'allow' && meetsTool(other, rule));
  return doubt < 0
    ? []
    : [
        `rule ${doubt + 1} restricts this tool, and with any arguments a command might do that, so this rule never matches`,
      ];
}

function sameMeaning(one: PolicyRule, other: PolicyRule): boolean {
  return (['decision', 'tool', 'command', 'path', 'arguments'] as const).every((key) => one[key] === other[key]);
}

const coversTool = (wide: PolicyRule, narrow: PolicyRule): boolean =>
  wide.tool === undefined || (narrow.tool !== undefined && matchesGlob(wide.tool, narrow.tool));
const meetsTool = (one: PolicyRule, other: PolicyRule): boolean => coversTool(one, other) || coversTool(other, one);

function ruleNotes({ decision, tool, command, path, arguments: given }: PolicyRule): string[] {
  if (decision !== 'allow' || path !== undefined) return [];
  const name = command === undefined ? undefined : patternWords(command)[0]!.text;
  if (given === 'any' && name !== undefined)
    return [
      `${name} runs with any arguments that match, also those that write files, run other programs or send data, and with input of any command`,
    ];
  if (given === 'any')
    return [`${tool ?? 'every tool'} is allowed with any input, also for files and folders that the input names`];
  if (command === undefined && (tool === undefined || matchesGlob(tool, 'Bash')))
    return ['every command line is allowed, whatever it does (if no rule denies or asks for a command)'];
  return [];
}
