/** The page: signs in with the code of the launch address, then shows the sessions of the daemon. Keeps SPEED-4. */
import { createRoot } from 'react-dom/client';
import { allowOwnStyles } from './csp/style-nonce.ts';
import { followAnswers } from './inbox/answered-requests.ts';
import { client, keepAwake } from './link/daemon.ts';
import { isRefusal } from './link/page-runtime.ts';
import { signIn } from './link/sign-in.ts';
import { followSessions } from './sessions/feed.ts';
import { followNodes } from './sessions/node-feed.ts';
import { App } from './shell/App.tsx';
import { listenToWorker } from './push/push.ts';
import './shell/gesture.ts'; // loaded first: it notes whether the page was touched
import { followTheme } from './shell/theme.ts';
import { followViewport } from './shell/viewport.ts';

const AGAIN_MS = 1_000;

allowOwnStyles(document);
followTheme();
followViewport();
listenToWorker();
followAnswers();
createRoot(document.querySelector('#page')!).render(<App />);
void start();

/** Retries until the gateway refuses this browser: a page that was opened without a network needs no reload. */
async function start(): Promise<void> {
  keepAwake();
  for (;;) {
    try {
      await signIn();
      await Promise.all([followSessions(client), followNodes(client)]);
    } catch (error) {
      if (isRefusal(error)) return; // the link has reported it
    }
    await new Promise((later) => setTimeout(later, AGAIN_MS));
  }
}
