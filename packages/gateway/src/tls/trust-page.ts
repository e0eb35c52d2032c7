/**
 * The page that explains how to trust our own CA. Users need it before they trust the CA, so it is served without TLS, on a
 * separate port: two fixed answers, no token, no cookie; no data from a client is used. An attacker on the network could answer in
 * its place, so the page asks the user to compare the fingerprint with the one in the terminal. Keeps DOOR-54.
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { GatewayInfo } from '@spool/protocol';
import { renderSVG } from 'uqr';
import { listenFrom } from '../http/ports.ts';
import { inUrl } from './certificate.ts';
import type { ConnectionFaults } from '../http/connection-faults.ts';
import { localNames, type OwnCa } from './own-ca.ts';

const CA_FILE = 'spool-ca.crt';

const HEADER_BYTES_MAX = 8 * 1024;
const WITHIN_MS = 10_000;
const CONNECTIONS_MAX = 64;

interface TrustServer {
  /** The accepted hosts. */
  readonly hosts: ReadonlySet<string>;
  url(): string;
  gatewayUrl(): string;
}

export interface TrustPlace {
  readonly host: string;
  readonly isEverywhere: boolean;
  /** The names of this page, besides those of the certificate; the first is shown. */
  readonly names: readonly string[];
  /** The port of the gateway. */
  readonly port: number;
  gatewayUrl(): string;
  readonly faults: ConnectionFaults;
}

/** Serves the page, on the next free port. */
export async function explainTrust(
  ca: OwnCa,
  { host, isEverywhere, names, port, gatewayUrl, faults }: TrustPlace,
): Promise<GatewayInfo['trust']> {
  const hosts = new Set<string>();
  let own = '';
  const server = trustServer(ca, { hosts, url: () => own, gatewayUrl });
  faults.guard(server);
  const found = await listenFrom(server, host, port + 1);
  for (const name of [...names, ...localNames(host, isEverywhere).map(inUrl)]) hosts.add(`${name}:${found}`);
  own = `http://${names[0]}:${found}/`;
  return { url: own, fingerprint: ca.fingerprint };
}

function trustServer(ca: OwnCa, { hosts, url, gatewayUrl }: TrustServer): Server {
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: WITHIN_MS, requestTimeout: WITHIN_MS },
    ({ method, url: path, headers }, response) => {
      const answer = (status: number, type: string, body: string | Buffer, more = {}): void => {
        response.writeHead(status, { ...HEADERS, 'content-type': type, ...more, connection: 'close' });
        response.end(method === 'HEAD' ? undefined : body);
      };
      if (!hosts.has(headers.host ?? '')) return answer(421, 'text/plain', 'this is not the name of this server\n');
      if (method !== 'GET' && method !== 'HEAD') return answer(405, 'text/plain', 'only GET\n');
      if (path === `/${CA_FILE}`) return answer(200, 'application/x-x509-ca-cert', ca.der);
      if (path !== '/') return answer(404, 'text/plain', 'not found\n');
      const html = trustPage({ fingerprint: ca.fingerprint, url: url(), gatewayUrl: gatewayUrl() });
      answer(200, 'text/html; charset=utf-8', html, { 'content-security-policy': POLICY });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
.print { padding: 0.75rem; border: 2px solid #1b1b1b; border-radius: 6px; }
a.get { display: inline-block; padding: 0.6rem 1rem; border-radius: 6px; background: #0b57d0; color: #fff; text-decoration: none; }
svg { width: 12rem; height: 12rem; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } .print { border-color: #eee; } a { color: #9ec1ff; } svg { background: #fff; } }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

interface TrustPage {
  readonly fingerprint: string;
  /** The address of this page. */
  readonly url: string;
  readonly gatewayUrl: string;
}

/** Returns the page; all its content comes from this machine. */
function trustPage({ fingerprint, url, gatewayUrl }: TrustPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trust this Spool</title>
<style>${STYLE}</style>
<h1>Trust this Spool</h1>
<p>Spool on this machine has its own certificate authority (CA). A device that trusts it can open <code>${gatewayUrl}</code>, install the
page and get notifications. The CA can vouch for private addresses and local names only, never for sites on the internet.</p>
<h2>1. Compare the fingerprint</h2>
<p>This page came without encryption: someone on the network could have changed it. Run <code>spool web trust</code> on the machine and
compare. When your device shows the certificate, its SHA-256 fingerprint must be the same.</p>
<p class="print"><code>${fingerprint}</code></p>
<h2>2. Get the certificate</h2>
<p><a class="get" href="${CA_FILE}">Download ${CA_FILE}</a></p>
<p>On another device, open this page: <code>${url}</code></p>
${renderSVG(url, { ecc: 'L', border: 2 })}
<h2>3. Trust it</h2>
<h3>iPhone, iPad</h3>
<ol><li>Open this page in Safari and download the certificate. Allow the profile.</li>
<li>Settings › General › VPN &amp; Device Management › Spool CA › Install.</li>
<li>Settings › General › About › Certificate Trust Settings: switch Spool CA on.</li></ol>
<h3>Android</h3>
<ol><li>Download the certificate.</li>
<li>Settings › Security › More security settings › Encryption &amp; credentials › Install a certificate › CA certificate, and choose the file.</li>
<li>Chrome uses it. Firefox: Settings › About Firefox, tap the logo five times, then Secret Settings › Use third party CA certificates.</li></ol>
<h3>macOS</h3>
<ol><li>Open the file: Keychain Access adds it to the login keychain.</li>
<li>Open it there › Trust › Secure Sockets Layer (SSL): Always Trust.</li></ol>
<h3>Windows</h3>
<ol><li>Open the file › Install Certificate › Current User › Place all certificates in the following store › Trusted Root Certification Authorities.</li></ol>
<h3>Linux</h3>
<ol><li>Chrome and Chromium: <code>certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n Spool -i ${CA_FILE}</code></li>
<li>Everything else (Debian, Ubuntu): <code>openssl x509 -inform der -in ${CA_FILE} | sudo tee /usr/local/share/ca-certificates/spool.crt &amp;&amp; sudo update-ca-certificates</code></li>
<li>Firefox (every system): Settings › Privacy &amp; Security › Certificates › View Certificates › Authorities › Import.</li></ol>
<h2>4. Log in</h2>
<p>Run <code>spool web --qr</code> on the machine and scan the code with the device. To take the trust back, remove the certificate in the same
place.</p>
</html>
`;
}
