/** No session yet: shows what to do, with commands to copy. */
import { addressOf } from '../shell/route.ts';
import { Brand } from '../shell/icons.tsx';

const EXAMPLES = [
  ['spool run -d --name claude -- claude', 'an agent, in the background'],
  ['spool run -d --name build -- npm run build', 'a long command'],
  ['spool run', 'a shell that survives this terminal'],
] as const;

export function EmptyState() {
  return (
    <div className="empty">
      <Brand />
      <h1>Nothing runs yet</h1>
      <p>What you start with Spool appears here, live, and stays after it has ended.</p>
      <ul>
        {EXAMPLES.map(([command, what]) => (
          <li key={command}>
            <code>{command}</code>
            <span className="quiet">{what}</span>
          </li>
        ))}
      </ul>
      <a className="button primary" href={addressOf({ page: 'start' })}>
        Start a session here
      </a>
    </div>
  );
}
