/** The page: signs in with the code of the launch address, then shows what the daemon shows. */
import { createRoot } from 'react-dom/client';
import { allowOwnStyles } from './csp/style-nonce.ts';
import { client, redialOnWake } from './link/daemon.ts';
import { signIn } from './link/sign-in.ts';
import { followSessions } from './sessions/feed.ts';
import { setLink } from './sessions/store.ts';
import { App } from './shell/App.tsx';
import { followTheme } from './shell/theme.ts';

allowOwnStyles(document);
followTheme();
createRoot(document.querySelector('#page')!).render(<App />);
void start();

async function start(): Promise<void> {
  if (!(await signIn())) return setLink({ type: 'signed-out' });
  redialOnWake();
  await followSessions(client);
}
