/** The page: signs in with the code of the launch address, then shows what the daemon shows. */
import { createRoot } from 'react-dom/client';
import { allowOwnStyles } from './csp/style-nonce.ts';
import { followAnswers } from './inbox/answered.ts';
import { client, keepAwake } from './link/daemon.ts';
import { isRefusal } from './link/page-runtime.ts';
import { signIn } from './link/sign-in.ts';
import { followSessions } from './sessions/feed.ts';
import { App } from './shell/App.tsx';
import { listenToWorker } from './push/push.ts';
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

/** Until the gateway says that this browser may not: a page that was opened while the network was away needs no reload. */
async function start(): Promise<void> {
  keepAwake();
  for (;;) {
    try {
      await signIn();
      await followSessions(client);
    } catch (error) {
      if (isRefusal(error)) return; // the link has said so
    }
    await new Promise((later) => setTimeout(later, AGAIN_MS));
  }
}
