/**
 * Decides what an agent may do without asking. Deny wins, and a request that no rule covers is asked; without a policy nothing is
 * allowed. Keeps POL-1, POL-3, POL-41.
 */
import { decideCommand } from './decide-command.ts';
import { coversPath, matchesGlob, meansPath, locatePath } from './patterns.ts';
import { type Policy, type PolicyRequest, type PolicyRule, type PolicyVerdict, ruleText } from './policy.ts';
import type { PolicyFiles } from './policy-files.ts';

const ask = (reason: string): PolicyVerdict => ({ decision: 'ask', reason });
const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

export function decide(policy: Policy, request: PolicyRequest, files: PolicyFiles): PolicyVerdict {
  const rules = policy.rules.filter(({ tool }) => tool === undefined || matchesGlob(tool, request.tool));
  const hasCommand = request.line !== undefined || request.words !== undefined;
  const verdicts: PolicyVerdict[] = [];
  if (hasCommand) verdicts.push(decideCommand(rules, request, files));
  if (request.paths.length > 0) verdicts.push(decidePaths(rules, request, files));
  if (verdicts.length === 0) verdicts.push(decideTool(rules, request));
  verdicts.push(...decideDoubts(rules, request, files));
  return verdicts.reduce((one, other) => (STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one));
}

/** Decides about the parts of a request that are not understood, by the rules that might cover them. */
function decideDoubts(rules: readonly PolicyRule[], request: PolicyRequest, files: PolicyFiles): PolicyVerdict[] {
  const limits = rules.filter(
    ({ decision, command, path }) => decision !== 'allow' && (command !== undefined || path !== undefined),
  );
  const restricting = limits.filter(({ path }) => path !== undefined);
  const isNamed = rules.some(
    ({ decision, command, path, arguments: given }) =>
      decision === 'allow' && given === 'any' && command === undefined && path === undefined,
  );
  const verdicts: PolicyVerdict[] = [];
  const [doubt] = request.doubts;
  if (doubt !== undefined && (!isNamed || limits.length > 0)) verdicts.push(ask(doubt));
  if (!request.isKnown && limits.length > 0)
    verdicts.push(ask(`${ruleText(limits[0]!)} might mean this: what ${request.tool || 'the tool'} does is not known`));
  const [rule] = restricting;
  // Each of these tools acts on a folder with everything in it.
  if (rule && /^(search|delete|move)$/.test(request.toolKind))
    verdicts.push(ask(`${ruleText(rule)} might mean a file that this reaches`));
  const isSilent = request.paths.length === 0 && /^(edit|read|delete|move)$/.test(request.toolKind);
  if (rule && isSilent) verdicts.push(ask(`${ruleText(rule)} might mean a file that this does not name`));
  for (const path of request.possiblePaths) {
    const place = locatePath(files, path, request.cwd);
    const meant = restricting.find((known) => meansPath(files, known.path!, place, request.folder));
    if (meant && meant.command === undefined)
      verdicts.push({ decision: meant.decision, rule: ruleText(meant), reason: `${ruleText(meant)} matches` });
  }
  return verdicts;
}

function decidePaths(rules: readonly PolicyRule[], request: PolicyRequest, files: PolicyFiles): PolicyVerdict {
  const { cwd, folder } = request;
  const about = rules.filter(({ command }) => command === undefined);
  const places = request.paths.map((path) => ({ path, place: locatePath(files, path, cwd) }));
  for (const decision of ['deny', 'ask'] as const) {
    const rule = about.find(
      (known) =>
        known.decision === decision &&
        places.some(({ place }) => known.path === undefined || meansPath(files, known.path, place, folder)),
    );
    if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
  }
  const used = new Set<string>();
  for (const { path, place } of places) {
    if (!place.real) return ask(`the path ${JSON.stringify(path)} cannot be known`);
    const rule = about.find(
      (known) =>
        known.decision === 'allow' && (known.path === undefined || coversPath(files, known.path, place, folder)),
    );
    if (!rule) return ask(`no rule allows ${JSON.stringify(place.real[0])}`);
    // A text under an unknown key may be another file.
    if (rule.path !== undefined && request.texts.length > 0)
      return ask(`${JSON.stringify(request.texts[0]!.slice(0, 100))} may be another file`);
    used.add(ruleText(rule));
  }
  return { decision: 'allow', rule: [...used].join('; '), reason: 'every path is allowed' };
}

/** Decides about a tool without a command and without paths: only rules about the tool alone count. */
function decideTool(rules: readonly PolicyRule[], { tool, toolKind }: PolicyRequest): PolicyVerdict {
  const about = rules.filter(({ command, path }) => command === undefined && path === undefined);
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const rule = about.find((known) => known.decision === decision);
    if (rule && decision === 'allow' && toolKind === 'execute')
      return ask('the request does not say which command runs');
    if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
  }
  return ask(`no rule is about ${tool}`);
}
