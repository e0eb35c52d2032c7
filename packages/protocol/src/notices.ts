/** Notifications on their way over the network: the keeper decides about them, and a gateway sends them. */
import type { MessageOf } from './message-type.ts';
import type { Question } from './question.ts';
import type { NOTICE_OUTCOME } from './schemas/gateway.ts';
import type { OpenRequest } from './status.ts';

export type NoticeOutcome = MessageOf<typeof NOTICE_OUTCOME>;
export type NoticeChannel = NoticeOutcome['channel'];

export interface Notice {
  /** The number, which grows even from one keeper to the next. */
  readonly n: number;
  readonly at: number;
  readonly about: 'blocked' | 'exit' | 'failure' | 'health' | 'command' | 'test';
  /** The id; empty in a test. */
  readonly session: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly title: string;
  readonly body: string;
  /** The question of a blocked session, and since when it waits. */
  readonly question?: Question | undefined;
  readonly since?: number | undefined;
  /** The pending request of an agent without a terminal. The answer goes to the agent by its own protocol, not by keys. */
  readonly request?: OpenRequest | undefined;
}
