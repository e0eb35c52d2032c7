/** No cookie and no code: says how to get in. */
import { Brand } from './icons.tsx';

export function SignedOut() {
  return (
    <main className="signed-out">
      <Brand />
      <h1>Open this page from your terminal</h1>
      <p>
        Run <code>spool web</code> on the machine where Spool runs. It prints an address that signs this browser in. The
        address works once, for a minute.
      </p>
      <p className="quiet">
        On a phone: <code>spool web --qr</code> shows a code to scan.
      </p>
    </main>
  );
}
