/**
 * A request of an agent that waits for a person, as the status of its session lists it. The events log has the whole request, at
 * `offset`, so that no reader replays a log to show it, to answer it or to notify of it. Keeps REQ-6 on the wire.
 */
import type { PermissionOption } from './agent/events.ts';

export interface OpenRequest {
  /** The id, unique within the session. */
  readonly request: string;
  readonly type: 'permission' | 'question';
  /** The name of the tool, from the agent's protocol; null if it gives none. */
  readonly tool: string | null;
  /** The digest of everything that is shown. An answer that allows must contain it. */
  readonly digest: string;
  /** The length of everything that must be shown, as JSON in UTF-8. */
  readonly bytes: number;
  readonly options: readonly OpenRequestOption[];
  /** Whether the request was too large to be kept whole, so that it can only be denied. */
  readonly isCut?: boolean | undefined;
  /** The offset of the record in the events log that contains the request. */
  readonly offset: number;
}

export type OpenRequestOption = Pick<PermissionOption, 'id' | 'label' | 'kind'>;
