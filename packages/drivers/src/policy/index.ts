/**
 * Rules that answer permission requests. It has a separate entry point, so that only programs with a policy load the parser of
 * shell lines.
 */
export { programsWithGrammar } from './grammar/command-grammar.ts';
export { lintPolicy, type PolicyFinding } from './lint.ts';
export {
  type Policy,
  type PolicyDecision,
  type PolicyRule,
  type PolicyVerdict,
  readPolicy,
  ruleText,
} from './policy.ts';
export { makePolicyFiles, type PolicyFiles } from './policy-files.ts';
export { decidePermission, type PermissionRequest, permissionAsk, policyCommand } from './request.ts';
