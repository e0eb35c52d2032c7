/** Explains why an agent in its terminal has no cards. Keeps CARD-14. */
import type { SessionInfo } from '@spool/client';
import { visibleTitle } from '@spool/render';
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';

const WHY_CHARACTERS_MAX = 500;

export function NoCards({ session: { id } }: { readonly session: SessionInfo }) {
  const [why, setWhy] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    client.explain(id).then(
      ({ sideChannel }) => {
        if (!isOver) setWhy(sideChannel?.why ?? 'Spool knows no side channel of this program');
      },
      (error: unknown) => {
        if (!isOver) setWhy(sentenceOf(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [id]);
  return (
    <div className="no-cards">
      <h2>No cards for this run</h2>
      <p>Cards come from what an agent reports beside its terminal, and this one reports nothing.</p>
      <p className="quiet" role="status">
        {why === null ? 'Loading…' : `Reason: ${visibleTitle(why, WHY_CHARACTERS_MAX)}.`}
      </p>
    </div>
  );
}
