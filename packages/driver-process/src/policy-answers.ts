/** Answers permissions by the user's policy, where it has a rule. Without a policy, every permission waits for a person. */
import type { AgentBody, Command } from '@spool/protocol/agent';

export interface PolicyAnswer {
  readonly command: Command;
  /** The rule, as it is written in the policy. */
  readonly rule: string;
}

export interface PolicyAnswers {
  answers(bodies: readonly AgentBody[]): readonly PolicyAnswer[];
}

export const NO_POLICY: PolicyAnswers = { answers: () => [] };
