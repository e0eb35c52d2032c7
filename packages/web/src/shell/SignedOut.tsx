/** The page without key and code: explains how to sign in. */
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
      {!isSecureContext && (
        <p role="alert">This page came without TLS. Browsers sign in over HTTPS only, or on the machine itself.</p>
      )}
      <p className="quiet">
        On a phone: <code>spool web --qr</code> shows a code to scan.
      </p>
    </main>
  );
}
