/** Notifications on their way over the network: the keeper decides that and what, a gateway sends. */
import type { Question } from './question.ts';

/** Through which a notification leaves the daemon. */
export type NoticeChannel = 'desktop' | 'command' | 'webhook' | 'ntfy' | 'push';

export interface NoticeOutcome {
  readonly channel: NoticeChannel;
  /** What went wrong, in a sentence; null when it was delivered. */
  readonly trouble: string | null;
}

export interface Notice {
  /** Grows, also from one keeper to the next. */
  readonly n: number;
  readonly at: number;
  readonly about: 'blocked' | 'exit' | 'failure' | 'health' | 'command' | 'test';
  /** The id; empty in a test. */
  readonly session: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly title: string;
  readonly body: string;
  /** Of a blocked session: what it asks, and since when. */
  readonly question?: Question | undefined;
  readonly since?: number | undefined;
  /** The answer goes to the agent by its own protocol, not by keys. */
  readonly isDriven?: boolean | undefined;
}
