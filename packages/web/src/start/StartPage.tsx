/** The page that starts a session: a command in a terminal, or an agent without one. */
import { addressOf } from '../shell/route.ts';
import { AgentForm } from './AgentForm.tsx';
import { CommandForm } from './CommandForm.tsx';

export function StartPage({ what }: { readonly what: 'command' | 'agent' }) {
  return (
    <div className="start">
      <header className="start-head">
        <h1>{what === 'agent' ? 'Start an agent' : 'Start a session'}</h1>
        <nav className="segments" aria-label="What to start">
          {(['command', 'agent'] as const).map((each) => (
            <a
              key={each}
              className="button"
              href={addressOf({ page: 'start', what: each })}
              aria-current={each === what ? 'page' : undefined}
            >
              {each === 'agent' ? 'An agent' : 'A command'}
            </a>
          ))}
        </nav>
      </header>
      {what === 'agent' ? <AgentForm /> : <CommandForm />}
    </div>
  );
}
