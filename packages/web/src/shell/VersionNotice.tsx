/**
 * Checks after each new link whether the gateway still serves the files of this page. If not, it offers a reload. It never
 * reloads by itself, because the user may be typing. Keeps PAGE-13.
 */
import { useEffect, useState } from 'react';
import { pageUrl } from '../link/daemon.ts';
import { useSessions } from '../sessions/store.ts';

export function VersionNotice() {
  const isLive = useSessions(({ link }) => link.type === 'live');
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    if (!isLive || isOld) return;
    const asking = new AbortController();
    isCurrent(asking.signal).then(
      (current) => setOld(!current),
      () => {}, // the link broke again: checked with the next one
    );
    return () => asking.abort();
  }, [isLive, isOld]);
  if (!isOld) return null;
  return (
    <p className="link-notice" role="status">
      Spool was updated.{' '}
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload this page
      </button>
    </p>
  );
}

async function isCurrent(signal: AbortSignal): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module]')?.getAttribute('src');
  const answer = await fetch(pageUrl('./'), { signal, cache: 'no-store' });
  if (!answer.ok || own === null || own === undefined) return true;
  return (await answer.text()).includes(own);
}
