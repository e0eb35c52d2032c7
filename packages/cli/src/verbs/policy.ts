/**
 * `spool policy`: shows the policy's decision about a request, and finds rules that do not have their apparent effect. It needs no
 * daemon, and decides as a running agent's driver does. Keeps POL-8.
 */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { configPath } from '@spool/client/node';
import {
  decidePermission,
  makePolicyFiles,
  lintPolicy,
  type Policy,
  type PolicyFinding,
  readPolicy,
  ruleText,
} from '@spool/drivers/policy';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { ArgumentsOf } from '../command-line/verb-table.ts';
import { printable } from '../output/printable.ts';
import { print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

type PolicyFlags = ArgumentsOf<'policy'>['flags'];

type PolicyFile =
  | { readonly path: string; readonly policy: Policy }
  | { readonly path: string; readonly fault: string }
  | { readonly path: string; readonly isMissing: true };

const policy: VerbAction<'policy'> = async ({ flags, operands }) => {
  switch (operands[0]) {
    case 'test':
      return test(flags);
    case 'check':
      return check(flags);
    default:
      throw new UsageError(`unknown action \`policy ${operands[0]}\`; use test or check`, 'policy');
  }
};

export default policy;

function test(flags: PolicyFlags): number {
  const { tool } = flags;
  if (tool === undefined) throw new UsageError('`policy test` needs --tool', 'policy');
  if (flags.command !== undefined && flags.input !== undefined)
    throw new UsageError('use --command or --input, not both', 'policy');
  const input = flags.command === undefined ? inputOf(flags.input) : { command: flags.command };
  const file = policyFile(flags.policy);
  const cwd = resolve(flags.cwd ?? process.cwd());
  const verdict =
    'policy' in file
      ? decidePermission(file.policy, { tool, input, cwd }, makePolicyFiles(fs, homedir()))
      : ({
          decision: 'ask',
          reason: 'fault' in file ? `${file.path} does not count: ${file.fault}` : 'there is no policy',
        } as const);
  if (flags.json) printJson({ ...verdict, tool, policy: file.path });
  else print(`${verdict.decision}: ${printable(verdict.reason)}`);
  return 0;
}

function inputOf(json: string | undefined): unknown {
  if (json === undefined) return {};
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError('--input must be JSON', 'policy');
  }
}

function check(flags: PolicyFlags): number {
  const file = policyFile(flags.policy);
  const findings: (Omit<PolicyFinding, 'rule'> & { readonly rule: number | null; readonly text?: string })[] =
    'policy' in file
      ? lintPolicy(file.policy).map((finding) => ({ ...finding, text: ruleText(file.policy.rules[finding.rule - 1]!) }))
      : 'fault' in file
        ? [{ rule: null, level: 'fault', message: file.fault }]
        : [];
  const isFaulty = findings.some(({ level }) => level === 'fault');
  if (flags.json) printJson({ path: file.path, exists: !('isMissing' in file), findings });
  else {
    for (const { rule, level, text, message } of findings)
      print(printable(rule === null ? `${file.path}: ${message}` : `${level}: rule ${rule} (${text}): ${message}`));
    if ('isMissing' in file) print(`${file.path} does not exist; every permission is asked.`);
    else if (!isFaulty) print(`${file.path}: no mistakes found.`);
  }
  return isFaulty ? EXIT.failed : 0;
}

/** A policy whose path was given must exist; the user's own may be missing. */
function policyFile(given: string | undefined): PolicyFile {
  const path = given ?? configPath(process.env).replace(/config\.json$/, 'policy.json');
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return { path, isMissing: true };
    throw error;
  }
  try {
    return { path, ...readPolicy(JSON.parse(text)) };
  } catch (error) {
    return { path, fault: (error as Error).message };
  }
}
