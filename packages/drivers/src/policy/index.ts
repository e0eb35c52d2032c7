/** Rules that answer permission requests. A separate entrance: only who has a policy loads the parser of shell lines. */
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
