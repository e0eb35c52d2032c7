/**
 * Loads the rules that interpret screens, and the catalogue of milestones: the built-in ones and the user's in the
 * config folder (`rules/*.json`, `milestones/*.json`). Loads them again when a session starts and a folder has changed.
 * Keeps STATE-3.
 */
import * as fs from 'node:fs';
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { type Catalogue, readCatalogue } from '@spool/status/milestones';
import { BUILT_IN_RULES, parseRules, type RuleSet } from '@spool/status';
import { defaultConfig, readConfig } from '@spool/protocol/config';

const FILE_BYTES_MAX = 256 * 1024;
const FILES_MAX = 64;

export class RuleFiles {
  readonly #config: string;
  readonly #warn: (sentence: string) => void;
  #seen = '';
  #rules: readonly RuleSet[] = BUILT_IN_RULES;
  #catalogue: Catalogue | null = null;
  #stalledAfterMs = defaultConfig().settings.stalledAfter;

  constructor(configFolder: string, warn: (sentence: string) => void) {
    this.#config = configFolder;
    this.#warn = warn;
  }

  /** The rules; the user's come first, so that they take precedence. */
  get rules(): readonly RuleSet[] {
    return this.#rules;
  }

  get catalogue(): Catalogue {
    return (this.#catalogue ??= readCatalogue().catalogue);
  }

  /** The setting `stalledAfter` of the configuration. */
  get stalledAfterMs(): number | null {
    return this.#stalledAfterMs;
  }

  refresh(): void {
    const seen = ['rules', 'milestones', 'config.json'].map((name) => changedAt(`${this.#config}/${name}`)).join();
    if (seen === this.#seen) return;
    this.#seen = seen;
    // The code that reads the configuration for users reports its faults.
    this.#stalledAfterMs = readConfig(`${this.#config}/config.json`, fs).settings.stalledAfter;
    const { catalogue, errors } = readCatalogue(this.#files('milestones'));
    for (const error of errors) this.#warn(error);
    this.#catalogue = catalogue;
    this.#rules = [...this.#files('rules').flatMap(({ file, text }) => this.#ruleSet(file, text)), ...BUILT_IN_RULES];
  }

  #ruleSet(file: string, text: string): RuleSet[] {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      this.#warn(`${file}: is not JSON (${(error as Error).message})`);
      return [];
    }
    const { rules, errors } = parseRules(file, json);
    for (const error of errors) this.#warn(error);
    return rules === null ? [] : [rules];
  }

  #files(folder: string): { file: string; text: string }[] {
    return jsonFiles(`${this.#config}/${folder}`).flatMap((name) => {
      const file = `${this.#config}/${folder}/${name}`;
      try {
        return [{ file, text: textOfFile(file) }];
      } catch (error) {
        this.#warn(`${file} cannot be used: ${(error as Error).message}`);
        return [];
      }
    });
  }
}

export function textOfFile(file: string): string {
  const { size } = regularFile(file);
  if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
  return readFileSync(file, 'utf8');
}

/** Returns the number of files of each kind, and a sentence for each fault, like those in the daemon's log. */
export function checkRuleFiles(configFolder: string): RuleFilesCheck {
  const faults: string[] = [];
  new RuleFiles(configFolder, (sentence) => faults.push(sentence)).refresh();
  const count = (folder: string): number => jsonFiles(`${configFolder}/${folder}`).length;
  return { rules: count('rules'), milestones: count('milestones'), faults };
}

export interface RuleFilesCheck {
  readonly rules: number;
  readonly milestones: number;
  readonly faults: readonly string[];
}

/**
 * Returns the stats of a regular file; throws for others. Reading from a pipe would block until another process writes into it.
 */
function regularFile(file: string): Stats {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Error('it is not a regular file');
  return stat;
}

export function jsonFiles(folder: string, most = FILES_MAX): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .slice(0, most);
  } catch {
    return []; // most users have no such folder
  }
}

/** Returns the newest mtime of the folder and of its files: an editor may write a file in place. */
function changedAt(folder: string): number {
  return Math.max(mtimeMs(folder), ...jsonFiles(folder).map((name) => mtimeMs(`${folder}/${name}`)));
}

function mtimeMs(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0; // missing, or a broken link: the other files still count
  }
}
