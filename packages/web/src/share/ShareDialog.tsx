/** Creates a link for another person: name, duration and number of uses. Only owners may create one. */
import type { SessionInfo } from '@spool/client';
import { useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client, pageUrl } from '../link/daemon.ts';
import { displayName } from '../sessions/session-words.ts';
import { CloseIcon } from '../shell/icons.tsx';
import { copy } from '../terminal/clipboard.ts';
import { Trouble } from '../start/fields.tsx';
import { QrCode } from './QrCode.tsx';

const HOUR_MS = 3_600_000;
const LIFETIMES: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [8, '8 hours'],
  [24, '1 day'],
  [168, '1 week'],
];

interface ShareLink {
  readonly address: string;
  readonly expiresAt: number;
}

export function ShareDialog({ session, onClose }: { readonly session: SessionInfo; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const name = displayName(session);
  const [link, setLink] = useState<ShareLink | null>(null);
  return (
    <dialog ref={dialog} className="sheet share" aria-label={`Share ${name}`} onClose={onClose}>
      <header className="dialog-head">
        <h1 className="one-line" dir="auto">
          Share {name}
        </h1>
        <button type="button" className="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </header>
      {link === null ? (
        <Terms session={session} onLink={setLink} />
      ) : (
        <Made link={link} onAnother={() => setLink(null)} />
      )}
    </dialog>
  );
}

function Terms({ session, onLink }: { readonly session: SessionInfo; readonly onLink: (link: ShareLink) => void }) {
  const [role, setRole] = useState<'viewer' | 'prompter'>('viewer');
  const [hours, setHours] = useState(1);
  const [uses, setUses] = useState(1);
  const [isFromNow, setFromNow] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const make = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    const now = Date.now();
    const expiresAt = now + hours * HOUR_MS;
    try {
      const { token } = await client.doors.createToken({
        kind: 'share',
        role,
        name: `share of ${session.name}`.slice(0, 100),
        uses,
        expiresAt,
        scope: { sessions: [session.id], ...(isFromNow && { from: now }) },
      });
      onLink({ address: `${pageUrl('./').href}#code=${token}`, expiresAt });
    } catch (error) {
      setTrouble(sentenceOf(error));
    }
  };
  return (
    <form onSubmit={(event) => void make(event)}>
      <label className="field">
        <span>Access</span>
        <select value={role} onChange={(event) => setRole(event.target.value as 'viewer' | 'prompter')}>
          <option value="viewer">view only</option>
          <option value="prompter">view, answer questions and send prompts</option>
        </select>
      </label>
      <div className="field-row">
        <label className="field">
          <span>For</span>
          <select value={hours} onChange={(event) => setHours(Number(event.target.value))}>
            {LIFETIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Max. devices</span>
          <input
            type="number"
            required
            min={1}
            max={100}
            value={uses}
            onChange={(event) => setUses(Number(event.target.value))}
          />
        </label>
      </div>
      <label className="check">
        <input type="checkbox" checked={isFromNow} onChange={(event) => setFromNow(event.target.checked)} />
        <span>Hide what came before now</span>
      </label>
      <p className="quiet">
        The link shows this session only. <code>spool token ls</code> lists it, and <code>spool token revoke</code> ends
        it before its time.
      </p>
      <Trouble text={trouble} />
      <div className="form-acts">
        <button type="submit" className="button primary">
          Make a link
        </button>
      </div>
    </form>
  );
}

function Made({
  link: { address, expiresAt },
  onAnother,
}: {
  readonly link: ShareLink;
  readonly onAnother: () => void;
}) {
  const [told, setTold] = useState('');
  const isLocal = /^(localhost|127\.|\[::1\])/.test(new URL(address).hostname);
  return (
    <div className="made">
      <QrCode text={address} label="The link as a QR code" />
      <div>
        <input
          className="search mono"
          readOnly
          aria-label="Link"
          value={address}
          onFocus={(event) => event.target.select()}
        />
        <p className="quiet">Works until {new Date(expiresAt).toLocaleString()}.</p>
        {isLocal && (
          <p className="quiet">
            This address leads to this machine only. Open the page by a name that others reach, and make the link there.
          </p>
        )}
        <div className="form-acts">
          <button
            type="button"
            className="button primary"
            autoFocus
            onClick={() => {
              copy(address).then(
                () => setTold('Copied'),
                (error: unknown) => setTold(sentenceOf(error)),
              );
            }}
          >
            Copy
          </button>
          <button type="button" className="button" onClick={onAnother}>
            Create another
          </button>
          <span className="quiet" role="status">
            {told}
          </span>
        </div>
      </div>
    </div>
  );
}
