/** Rules that answer permission requests. An entrance of its own: only who has a policy loads the parser of shell lines. */
export {
  decide,
  type Policy,
  type PolicyAnswer,
  type PolicyRequest,
  type PolicyRule,
  readPolicy,
  ruleText,
} from './policy.ts';
export { policyCommand, policyRequest } from './request.ts';
