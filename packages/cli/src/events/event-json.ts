/** Formats an event as JSON: whatever its type, `id` and `name` identify its session [SAY-3]. */
import type { Milestone } from '@spool/client';
import { type ListedEvent, sessionIdOf } from './listed-event.ts';

export function eventJson(event: ListedEvent, sessionName: string): object {
  const id = sessionIdOf(event);
  if (id === '') return event;
  if (event.type === 'milestone') {
    const { type, at, id: _id, ...milestone } = event;
    return milestoneJson({ type, at, id, name: sessionName }, milestone);
  }
  const { type, at, ...rest } = event;
  return { type, at, ...rest, id, name: sessionName };
}

/** Returns a milestone as a separate object, because it has a name itself (`vite-ready`). */
export function milestoneJson(
  about: { readonly type: 'milestone'; readonly at: number; readonly id: string; readonly name: string },
  milestone: Milestone,
): object {
  return { ...about, milestone };
}
