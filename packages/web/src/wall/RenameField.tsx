/** A field for a new name of a session: Enter accepts it, Escape cancels. */
import type { SessionInfo } from '@spool/client';
import { useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { put } from '../sessions/store.ts';

export function RenameField({ session, onDone }: { readonly session: SessionInfo; readonly onDone: () => void }) {
  const [name, setName] = useState(session.name);
  const [trouble, setTrouble] = useState<string | null>(null);
  const rename = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === '' || name === session.name) return onDone();
    try {
      put(await client.update(session.id, { name: name.trim() }));
      onDone();
    } catch (error) {
      setTrouble(sentenceOf(error));
    }
  };
  return (
    <form className="rename" onSubmit={(event) => void rename(event)}>
      <input
        autoFocus
        aria-label="New name"
        dir="auto"
        value={name}
        maxLength={100}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => {
          if (trouble === null) onDone();
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') onDone();
        }}
      />
      {trouble !== null && <p role="alert">{trouble}</p>}
    </form>
  );
}
