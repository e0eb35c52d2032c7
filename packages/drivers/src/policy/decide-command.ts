/**
 * Decides about a shell line. A line is allowed only if it is understood completely: it consists of simple commands of literal
 * words, each covered by a rule, and each `*` in a rule covers only words that a grammar of harmless options knows. For rules that
 * deny or ask, every doubt asks. Keeps POL-1, POL-2, POL-5.
 */
import { understandCommand } from './grammar/command-grammar.ts';
import type { UnderstoodCommand } from './grammar/grammar.ts';
import { gitRisk } from './git-repository.ts';
import { type LiteralCommand, readLiteralLine } from './literal-line.ts';
import {
  coversPath,
  folderWords,
  matchesCommand,
  meansCommand,
  meansPath,
  mentionsProgram,
  mightMeanCommand,
  patternWords,
  locatePath,
} from './patterns.ts';
import { type PolicyRequest, type PolicyRule, type PolicyVerdict, ruleText } from './policy.ts';
import type { PolicyFiles } from './policy-files.ts';
import { realPath } from './real-path.ts';
import { isShellBuiltin } from './shell-builtins.ts';
import { findCommands } from './shell-line.ts';

/** Files of the kernel: merely opening a device may have an effect. */
const KERNEL_FILES = /^\/(?:dev|proc|sys)(?:\/|$)/;

export function decideCommand(rules: readonly PolicyRule[], request: PolicyRequest, files: PolicyFiles): PolicyVerdict {
  return new CommandDecision(rules, request, files).verdict();
}

const ask = (reason: string): PolicyVerdict => ({ decision: 'ask', reason });

class CommandDecision {
  readonly #rules: readonly PolicyRule[];
  /** Rules that deny or ask. */
  readonly #restricting: readonly PolicyRule[];
  readonly #request: PolicyRequest;
  readonly #files: PolicyFiles;

  constructor(rules: readonly PolicyRule[], request: PolicyRequest, files: PolicyFiles) {
    this.#rules = rules;
    this.#restricting = rules.filter(({ decision }) => decision !== 'allow');
    this.#request = request;
    this.#files = files;
  }

  verdict(): PolicyVerdict {
    return this.#certain() ?? this.#allowed();
  }

  /** The rules that deny or ask, and certainly apply to a command in this line. */
  #certain(): PolicyVerdict | undefined {
    const { line, words } = this.#request;
    const found = line === undefined ? { commands: [words ?? []], inner: [] } : findCommands(line);
    const all = [...found.commands, ...found.inner];
    for (const decision of ['deny', 'ask'] as const) {
      const rule = this.#restricting.find((known) => {
        if (known.decision !== decision || known.path !== undefined) return false;
        if (known.command === undefined) return true;
        const pattern = patternWords(known.command);
        return all.some((each) => meansCommand(pattern, each));
      });
      if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
    }
    return undefined;
  }

  #allowed(): PolicyVerdict {
    const everything = this.#rules.find((rule) => this.#allowsEverything(rule));
    if (everything && this.#restricting.length === 0)
      return { decision: 'allow', rule: ruleText(everything), reason: `${ruleText(everything)} allows every command` };
    const commands = this.#literalCommands();
    if (typeof commands === 'string') return ask(commands);
    const used = new Set<string>();
    for (const command of commands) {
      const verdict = this.#commandVerdict(command, commands.length === 1);
      if (verdict.decision !== 'allow' || verdict.rule === undefined) return verdict;
      used.add(verdict.rule);
    }
    return { decision: 'allow', rule: [...used].join('; '), reason: 'every command is allowed and understood' };
  }

  /** Whether the rule allows every command. A kind of ACP is not a tool, so a rule for it must name the command. */
  #allowsEverything({ decision, command, path }: PolicyRule): boolean {
    return decision === 'allow' && command === undefined && path === undefined && this.#request.tool !== 'execute';
  }

  /**
   * Returns the commands of the line, or the reason why they are not understood. Both parsers must read the line in the same way.
   */
  #literalCommands(): readonly LiteralCommand[] | string {
    const { line, words } = this.#request;
    if (line === undefined) return words && words.length > 0 ? [{ words, isPiped: false }] : 'the command is empty';
    const literal = readLiteralLine(line);
    if ('doubt' in literal) return `the line ${literal.doubt}`;
    const { commands } = findCommands(line);
    const isSame = JSON.stringify(commands) === JSON.stringify(literal.commands.map((command) => command.words));
    return isSame ? literal.commands : 'the line can be read in two ways';
  }

  #commandVerdict(command: LiteralCommand, isAlone: boolean): PolicyVerdict {
    const { words } = command;
    const result = understandCommand(words);
    const understood = 'understood' in result ? result.understood : undefined;
    const refusal = 'refusal' in result ? result.refusal : undefined;
    const shown = JSON.stringify(words.join(' ').slice(0, 100));
    const risk = understood && this.#risk(words, understood);
    if (risk !== undefined) return ask(`${shown}: ${risk}`);
    const restricted = this.#restriction(words, understood);
    if (restricted) return restricted;

    let why: string | undefined;
    for (const rule of this.#rules) {
      const obstacle = this.#obstacle(rule, command, isAlone, understood);
      if (obstacle === undefined)
        return { decision: 'allow', rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
      if (obstacle !== '') why ??= obstacle;
    }
    return ask(
      `no rule allows ${shown}${why === undefined ? '' : `: ${why}`}${why === GRAMMAR && refusal ? ` (${refusal})` : ''}`,
    );
  }

  /**
   * Returns the reason why this rule does not allow the command; '' if the rule is about something else, undefined if it allows
   * it.
   */
  #obstacle(
    rule: PolicyRule,
    { words, isPiped }: LiteralCommand,
    isAlone: boolean,
    understood: UnderstoodCommand | undefined,
  ): string | undefined {
    if (this.#allowsEverything(rule))
      return understood ? undefined : 'a rule denies or asks for some commands, and this one may run another';
    if (rule.decision !== 'allow' || rule.command === undefined || rule.path !== undefined) return '';
    const pattern = patternWords(rule.command);
    if (!matchesCommand(pattern, words)) return '';
    const { files, request } = { files: this.#files, request: this.#request };
    for (const [text, word] of folderWords(pattern, words)) {
      const place = locatePath(files, word, request.cwd);
      if (!coversPath(files, text, place, request.cwd)) return `${JSON.stringify(word)} leads elsewhere`;
    }
    if (understood) return undefined;
    // From here on only the words of the command are known.
    const isExact = pattern.every(({ isLiteral }) => isLiteral);
    if (!isExact && rule.arguments !== 'any') return GRAMMAR;
    if (!isExact && this.#restricting.length > 0)
      return 'a rule denies or asks for something, and with any arguments this command may do that';
    if (isPiped && rule.arguments !== 'any') return 'it reads what another command prints';
    if (!isAlone && isShellBuiltin(words[0]!)) return 'it changes the shell for the commands that follow';
    const here = realPath(files, request.folder, '/');
    return here !== undefined && realPath(files, request.cwd, request.folder) === here
      ? undefined
      : "it runs in another folder than the agent's";
  }

  /** Returns the objection of the file system to a command whose words are understood. */
  #risk(words: readonly string[], { paths, possiblePaths, opensUnnamed }: UnderstoodCommand): string | undefined {
    const { cwd } = this.#request;
    for (const path of [...paths, ...possiblePaths]) {
      const real = realPath(this.#files, path, cwd);
      // An empty word is a text, because no file has that name.
      if (real === undefined && path === '' && possiblePaths.includes(path)) continue;
      if (real === undefined) return `the path ${JSON.stringify(path)} cannot be known`;
      if (real !== '/dev/null' && KERNEL_FILES.test(real)) return `${real} is not an ordinary file`;
      if (real === '/' && opensUnnamed)
        return 'it opens every file of the system, also those that are not ordinary ones';
    }
    if (words[0] !== 'git') return undefined;
    const folder = realPath(this.#files, cwd, '/');
    if (folder === undefined || folder !== realPath(this.#files, this.#request.folder, '/'))
      return "git runs in another folder than the agent's";
    return gitRisk(this.#files, folder);
  }

  /** Returns the verdict of a rule that denies or asks, if it covers a file that this command reads, or might cover the command. */
  #restriction(words: readonly string[], understood: UnderstoodCommand | undefined): PolicyVerdict | undefined {
    for (const rule of this.#restricting) {
      const text = ruleText(rule);
      if (rule.command !== undefined) {
        const pattern = patternWords(rule.command);
        const might = mightMeanCommand(pattern, words) || (!understood && mentionsProgram(pattern, words));
        if (might) return ask(`${text} might mean this`);
      } else if (rule.path !== undefined) {
        const verdict = this.#pathRestriction(rule, rule.path, words, understood);
        if (verdict) return verdict;
      }
    }
    return undefined;
  }

  #pathRestriction(
    rule: PolicyRule,
    pattern: string,
    words: readonly string[],
    understood: UnderstoodCommand | undefined,
  ): PolicyVerdict | undefined {
    const { cwd, folder } = this.#request;
    const means = (path: string): boolean =>
      meansPath(this.#files, pattern, locatePath(this.#files, path, cwd), folder);
    const text = ruleText(rule);
    const named = understood?.paths.find(means);
    if (named !== undefined)
      return { decision: rule.decision, rule: text, reason: `${text} matches ${JSON.stringify(named)}` };
    const others = understood ? understood.possiblePaths : words.slice(1).flatMap((word) => [word, ...word.split('=')]);
    if (others.some(means)) return ask(`${text} might mean a word of this`);
    return understood?.readsUnnamed ? ask(`${text} might mean a file that this reads`) : undefined;
  }
}

const GRAMMAR = 'its arguments are not known to be harmless';
