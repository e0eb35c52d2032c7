/** What can be done with a session as a whole. What ends or deletes says what it does before it does it. */
import type { SessionInfo } from '@spool/client';
import { useState } from 'react';
import { client } from '../link/daemon.ts';
import { go } from '../shell/route.ts';

interface Act {
  readonly label: string;
  readonly consequence: string;
  readonly run: () => Promise<unknown>;
}

export function SessionActs({ session }: { readonly session: SessionInfo }) {
  const [asked, setAsked] = useState<Act | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const acts: readonly Act[] =
    session.state === 'running'
      ? [
          {
            label: 'Stop',
            consequence: `Asks ${session.name} to end (SIGTERM), and kills what is left after 5 seconds.`,
            run: () => client.stop(session.id),
          },
        ]
      : [
          {
            label: 'Remove',
            consequence: `Deletes ${session.name} with everything it printed. This cannot be undone.`,
            run: async () => {
              await client.remove(session.id);
              go({ page: 'home' });
            },
          },
        ];
  const run = (act: Act): void => {
    setAsked(null);
    act.run().catch((error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)));
  };
  return (
    <div className="acts">
      {acts.map((act) => (
        <button key={act.label} type="button" className="button danger" onClick={() => setAsked(act)}>
          {act.label}
        </button>
      ))}
      {asked !== null && (
        <div className="confirm" role="alertdialog" aria-label={asked.label}>
          <p>{asked.consequence}</p>
          <button type="button" className="button danger" autoFocus onClick={() => run(asked)}>
            {asked.label}
          </button>
          <button type="button" className="button" onClick={() => setAsked(null)}>
            Keep it
          </button>
        </div>
      )}
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}
