/** The end of a session above its last screen: how it ended, when, and a button that runs it again. Keeps PAGE-64. */
import type { SessionInfo } from '@spool/client';
import { shortDuration } from '@spool/protocol/duration';
import { useState } from 'react';
import { clientAt } from '../link/daemon.ts';
import { pageId, placeOf } from '../link/session-place.ts';
import { sentenceOf } from '../link/ask-gateway.ts';
import { useSessions } from '../sessions/store.ts';
import { Age } from '../shell/Age.tsx';
import { RepeatIcon } from '../shell/icons.tsx';
import { go } from '../shell/route.ts';
import { conditionOf } from '../state/condition.ts';
import { freeName } from '../start/names.ts';
import { endWords } from './end-words.ts';

export function EndedBar({ session }: { readonly session: SessionInfo }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isStarting, setStarting] = useState(false);
  const { command, cwd, name, size, labels, startedAt, endedAt } = session;
  const place = placeOf(session.id);
  const runAgain = async (): Promise<void> => {
    setTrouble(null);
    setStarting(true);
    try {
      const again = await clientAt(place.node).run({
        command: [...command],
        cwd,
        labels,
        name: freeName(name, useSessions.getState().byId.values()),
        ...(size !== null && { size }),
      });
      go({ page: 'session', id: pageId(place.node, again.id), view: 'terminal' });
    } catch (error) {
      setTrouble(sentenceOf(error));
      setStarting(false);
    }
  };
  return (
    <div className="ended-bar" role="status" data-condition={conditionOf(session)}>
      <p>
        <strong>{endWords(session)}</strong>
        {endedAt !== null && (
          <span className="quiet">
            {' '}
            after {shortDuration(endedAt - startedAt)}, <Age className="age" since={endedAt} /> ago
          </span>
        )}
      </p>
      {trouble !== null && <p role="alert">{trouble}</p>}
      {!isCut(command) && (
        <button type="button" className="button" disabled={isStarting} onClick={() => void runAgain()}>
          <RepeatIcon /> Run again
        </button>
      )}
    </div>
  );
}

/** Returns whether the daemon has shortened the command, so that it cannot be run again. */
const isCut = (command: readonly string[]): boolean => command.join(' ').length >= SHOWN_CHARACTERS_MAX;

/** The limit of the command in the information about a session. */
const SHOWN_CHARACTERS_MAX = 16 * 1024;
