/** One look at a session for somebody who is about to type into it: what it shows, and whether that asks something. */
import type { Follower } from './follower.ts';
import type { Look } from './messages.ts';
import { ScreenFollower } from './screen-follower.ts';

/** Looks now, whether or not the output has come to rest. */
export function lookAt(follower: Follower, now: number): Look {
  const insight = follower.begin();
  insight.look(now);
  const { status, asks, isUnsettled, shown } = insight;
  const screen = follower instanceof ScreenFollower ? follower : null;
  return {
    offset: follower.offset,
    isExact: screen?.isExact ?? true,
    state: status.state,
    kind: status.kind,
    agent: status.agent,
    asks,
    isUnsettled,
    bracketedPaste: screen?.moment().model.modes.bracketedPaste ?? false,
    lines: shown.lines,
    cursorRow: shown.cursor.row,
  };
}
