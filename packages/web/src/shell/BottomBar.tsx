/** The navigation on a phone, within reach of a thumb. */
import { useSessions } from '../sessions/store.ts';
import { PushButton } from '../push/PushButton.tsx';
import { GearIcon, HomeIcon, PlusIcon, SearchIcon } from './icons.tsx';
import { addressOf, type PageRoute } from './route.ts';

export function BottomBar({ route, onSearch }: { readonly route: PageRoute; readonly onSearch: () => void }) {
  const waiting = useSessions(
    ({ byId }) =>
      [...byId.values()].filter(({ state, status }) => state === 'running' && status.state === 'blocked').length,
  );
  return (
    <nav className="bottom-bar" aria-label="Pages">
      <a href={addressOf({ page: 'home' })} aria-current={route.page === 'home' ? 'page' : undefined}>
        <HomeIcon />
        <span>Sessions</span>
        {waiting > 0 && (
          <span className="badge">
            {waiting}
            <span className="sr-only"> waiting</span>
          </span>
        )}
      </a>
      <button type="button" onClick={onSearch}>
        <SearchIcon />
        <span>Find</span>
      </button>
      <a
        href={addressOf({ page: 'start', what: 'command' })}
        aria-current={route.page === 'start' ? 'page' : undefined}
      >
        <PlusIcon />
        <span>Start</span>
      </a>
      <PushButton isNamed />
      <a href={addressOf({ page: 'settings' })} aria-current={route.page === 'settings' ? 'page' : undefined}>
        <GearIcon />
        <span>Settings</span>
      </a>
    </nav>
  );
}
