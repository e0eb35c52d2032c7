/** The present status of a session, and its evidence. The code is pure: no clock, no Node; time, bytes and screens are inputs. */
export { type InputView } from './sources/input-line.ts';
export { endsWithEnter } from './sources/draft.ts';
export { BUILT_IN_RULES } from './built-in-rules.ts';
export { agentOfCommand } from './sources/command-agent.ts';
export { StatusReducer } from './reducer.ts';
export type { StatusReducerOptions } from './reducer.ts';
export { readyAfterMs } from './prompts/readiness.ts';
export {
  type PromptFinding,
  findingOf,
  isHeldBy,
  squeezed,
  type Submission,
  submissionOf,
} from './prompts/prompt-finding.ts';
export { parseRules } from './rules.ts';
export type { RuleSet } from './rules.ts';
export { readLine, readScreen } from './sources/screen-reading.ts';
export type { ReadingHint, ScreenReading } from './sources/screen-reading.ts';
export type { ScreenView } from './sources/screen-lines.ts';
export { parseCase, runCase } from './rule-case.ts';
export type { CaseVerdict, RuleCase } from './rule-case.ts';
