/**
 * The frame: a rail with all sessions on wide screens, a bar at the bottom on phones, and the page between them. Keeps PAGE-7 and
 * PAGE-77.
 */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Home } from '../home/Home.tsx';
import { displayName } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { BottomBar } from './BottomBar.tsx';
import { HelpDialog } from './HelpDialog.tsx';
import { LinkNotice } from './LinkNotice.tsx';
import { Palette } from './Palette.tsx';
import { Rail } from './Rail.tsx';
import { type PageRoute, useRoute } from './route.ts';
import { SignedOut } from './SignedOut.tsx';
import { useShortcuts } from './shortcuts.ts';
import { VersionNotice } from './VersionNotice.tsx';

/** Loaded on demand: two thirds of the page's code belong to the terminal. */
const SessionPage = lazy(async () => ({ default: (await import('../terminal/SessionPage.tsx')).SessionPage }));
/** Loaded on demand too: the front page is opened more often. */
const StartPage = lazy(async () => ({ default: (await import('../start/StartPage.tsx')).StartPage }));
const SettingsPage = lazy(async () => ({ default: (await import('../settings/SettingsPage.tsx')).SettingsPage }));

export function App() {
  const route = useRoute();
  const isSignedOut = useSessions(({ link }) => link.type === 'signed-out');
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const openPalette = useCallback(() => setPaletteOpen(true), []);
  const openHelp = useCallback(() => setHelpOpen(true), []);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts({ onPalette: openPalette, onHelp: openHelp });
  useTitle(route);
  if (isSignedOut) return <SignedOut />;
  return (
    <div className="frame" data-page={route.page}>
      <SkipLink />
      <Rail route={route} />
      <main className="main" id="main" tabIndex={-1}>
        <LinkNotice />
        <VersionNotice />
        <Suspense fallback={<div className="loading quiet">Loading…</div>}>
          <Page route={route} />
        </Suspense>
      </main>
      <BottomBar route={route} onSearch={() => setPaletteOpen(true)} />
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/**
 * The first stop of the Tab key: it leads past the list of all sessions. Its address is that of the page, so that following it does
 * not change the address.
 */
function SkipLink() {
  return (
    <a
      className="skip-link"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.querySelector<HTMLElement>('#main')?.focus();
      }}
    >
      Skip to the content
    </a>
  );
}

function Page({ route }: { readonly route: PageRoute }) {
  if (route.page === 'start') return <StartPage what={route.what} />;
  if (route.page === 'settings') return <SettingsPage />;
  if (route.page === 'session') return <SessionPage key={route.id} route={route} />;
  return <Home />;
}

/** Shows the number of waiting sessions in the title of the tab, even while the page is hidden. */
function useTitle(route: PageRoute): void {
  const waiting = useSessions(({ byId }) => {
    let count = 0;
    for (const { state, status } of byId.values()) if (state === 'running' && status.state === 'blocked') count++;
    return count;
  });
  const name = useSessions(({ byId }) => (route.page === 'session' ? byId.get(route.id)?.name : undefined));
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name === undefined ? 'Spool' : `${displayName({ name })} · Spool`}`;
  }, [waiting, name]);
}
