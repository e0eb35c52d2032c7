/** The output of the program that checks the user's rules, milestones and cases (`check-config`), which `spool doctor` reads. */
export interface CheckedConfig {
  readonly rules: number;
  readonly milestones: number;
  readonly faults: readonly string[];
  readonly cases: readonly CheckedCase[];
  readonly withoutRecord: readonly string[];
  /** The agents in PATH; empty if they were not requested. */
  readonly agents: readonly FoundAgent[];
}

/** An agent in PATH. */
export interface FoundAgent {
  readonly name: string;
  readonly file: string;
  readonly version: string | null;
  /** The reason why its version is unknown. */
  readonly why: string | null;
  /** The reason why it gets no side channel in a terminal; null if it gets one. */
  readonly channelFault: string | null;
}

/** A saved screen, and the reading of the present rules. */
export interface CheckedCase {
  readonly file: string;
  /** Whether the rules read the case as expected; null for a file that is not a case. */
  readonly isRight: boolean | null;
  readonly should: string | null;
  /** The state that the rules read. */
  readonly reads: string | null;
  /** The deciding rule; null if another source decided. */
  readonly rule: string | null;
  readonly source: string | null;
  /** The evidence, or the fault of the file. */
  readonly why: string;
  readonly note: string;
}
