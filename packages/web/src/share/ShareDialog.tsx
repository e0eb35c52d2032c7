/** A link for somebody else: who they are, for how long, how often. Only owners may make one. */
import type { SessionInfo } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client, pageUrl } from '../link/daemon.ts';
import { copy } from '../terminal/clipboard.ts';

const HOUR_MS = 3_600_000;

export function ShareDialog({ session, onClose }: { readonly session: SessionInfo; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const [role, setRole] = useState<'viewer' | 'prompter'>('viewer');
  const [hours, setHours] = useState(1);
  const [uses, setUses] = useState(1);
  const [isFromNow, setFromNow] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const make = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    const now = Date.now();
    try {
      const { token } = await client.doors.createToken({
        kind: 'share',
        role,
        name: `share of ${session.name}`.slice(0, 100),
        uses,
        expiresAt: now + hours * HOUR_MS,
        scope: { sessions: [session.id], ...(isFromNow && { from: now }) },
      });
      setLink(`${pageUrl('./').href}#code=${token}`);
    } catch (error) {
      setTrouble(sentenceOf(error));
    }
  };
  return (
    <dialog ref={dialog} className="palette share" aria-label={`Share ${session.name}`} onClose={onClose}>
      <form onSubmit={(event) => void make(event)}>
        <h2>Share {session.name}</h2>
        <label className="field">
          <span>They may</span>
          <select value={role} onChange={(event) => setRole(event.target.value as 'viewer' | 'prompter')}>
            <option value="viewer">look</option>
            <option value="prompter">look, answer questions and send prompts</option>
          </select>
        </label>
        <label className="field">
          <span>Hours</span>
          <input
            type="number"
            min={1}
            max={720}
            value={hours}
            onChange={(event) => setHours(Number(event.target.value))}
          />
        </label>
        <label className="field">
          <span>Browsers</span>
          <input
            type="number"
            min={1}
            max={100}
            value={uses}
            onChange={(event) => setUses(Number(event.target.value))}
          />
        </label>
        <label className="check">
          <input type="checkbox" checked={isFromNow} onChange={(event) => setFromNow(event.target.checked)} /> Hide what
          came before now
        </label>
        {link === null ? (
          <button type="submit" className="button primary">
            Make a link
          </button>
        ) : (
          <>
            <input
              className="search mono"
              readOnly
              aria-label="Link"
              value={link}
              onFocus={(event) => event.target.select()}
            />
            <button
              type="button"
              className="button primary"
              onClick={() => void copy(link).catch((error: unknown) => setTrouble(sentenceOf(error)))}
            >
              Copy
            </button>
          </>
        )}
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
        {trouble !== null && <p role="alert">{trouble}</p>}
      </form>
    </dialog>
  );
}
