/** The page without sessions: shows the first steps, with commands to copy. */
import { useState } from 'react';
import { Brand } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import { copy } from '../terminal/clipboard.ts';

const EXAMPLES = [
  ['spool run -d --name claude -- claude', 'an agent, in the background'],
  ['spool run -d --name build -- npm run build', 'a long command'],
  ['spool run', 'a shell that survives this terminal'],
] as const;

export function EmptyState() {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <div className="empty">
      <Brand />
      <h1>Nothing running yet</h1>
      <p>What you start with Spool appears here, live, and stays after it has ended. In a terminal:</p>
      <ul>
        {EXAMPLES.map(([command, what]) => (
          <li key={command}>
            <code>{command}</code>
            <span className="quiet">{what}</span>
            <button
              type="button"
              className="button plain"
              aria-label={`Copy ${command}`}
              onClick={() => {
                copy(command).then(
                  () => setCopied(command),
                  () => {}, // the browser does not allow it; the user can still select the text
                );
              }}
            >
              {copied === command ? 'Copied' : 'Copy'}
            </button>
          </li>
        ))}
      </ul>
      <a className="button primary" href={addressOf({ page: 'start', what: 'command' })}>
        Start a session here
      </a>{' '}
      <a className="button" href={addressOf({ page: 'start', what: 'agent' })}>
        Start an agent here
      </a>
    </div>
  );
}
