/** Answers permissions by the user's policy, if it has a rule for them (`user-policy.ts`). */
import type { AgentBody, Command } from '@spool/protocol/agent';

interface PolicyAnswer {
  readonly command: Command;
  /** The rule, as it is written in the policy. */
  readonly rule: string;
}

export interface PolicyAnswers {
  answers(bodies: readonly AgentBody[]): readonly PolicyAnswer[];
}
