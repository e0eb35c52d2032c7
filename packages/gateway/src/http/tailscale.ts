/**
 * Lets an installed Tailscale serve the gateway to the user's own devices, with a certificate that phones accept. It uses
 * `tailscale serve`, never `funnel`, which opens to the internet. It does not replace a program that is already served, and stops
 * serving at the end. Keeps DOOR-22.
 */
import { execFile } from 'node:child_process';
import { SpoolError } from '@spool/protocol';

const HTTPS_PORT = 443;
const ANSWER_MS_MAX = 20_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

interface TailscaleStatus {
  readonly BackendState?: string;
  readonly Self?: { readonly DNSName?: string };
  readonly CertDomains?: readonly string[] | null;
}

interface Serve {
  readonly Web?: Readonly<
    Record<string, { readonly Handlers?: Readonly<Record<string, { readonly Proxy?: string }>> }>
  >;
  readonly AllowFunnel?: Readonly<Record<string, boolean>>;
}

export interface TailscaleOrigin {
  /** The origin, such as `https://machine.tailnet.ts.net`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/**
 * Returns the name of this machine. `lastPort`: the port of the last gateway. Throws an explanation if the gateway cannot be
 * served.
 */
export async function tailscaleName(lastPort: number | null): Promise<string> {
  const { BackendState, Self, CertDomains } = JSON.parse(await run('status', '--json')) as TailscaleStatus;
  if (BackendState !== 'Running')
    throw refused(`Tailscale is not connected (${BackendState ?? 'unknown'}); run \`tailscale up\``);
  const name = Self?.DNSName?.replace(/\.$/, '');
  if (!name) throw refused('Tailscale has no name for this machine; turn MagicDNS on in its admin console');
  if (!CertDomains?.includes(name))
    throw refused('HTTPS is not turned on for this tailnet; turn it on in the admin console of Tailscale, under DNS');
  const { Web = {}, AllowFunnel = {} } = JSON.parse((await run('serve', 'status', '--json')) || '{}') as Serve;
  const place = `${name}:${HTTPS_PORT}`;
  if (AllowFunnel[place])
    throw refused(`a funnel is open on ${place}, to the whole internet; close it first: \`tailscale funnel reset\``);
  const other = Object.values(Web[place]?.Handlers ?? {}).find(
    // A gateway that was killed before it could stop serving has left this.
    ({ Proxy: to }) => lastPort === null || to !== `http://127.0.0.1:${lastPort}`,
  );
  if (other) throw refused(`Tailscale already serves something else on ${place}; see \`tailscale serve status\``);
  return name;
}

export async function serveByTailscale(name: string, port: number): Promise<TailscaleOrigin> {
  await run('serve', '--bg', '--yes', `--https=${HTTPS_PORT}`, `http://127.0.0.1:${port}`);
  return {
    origin: `https://${name}`,
    async stop() {
      await run('serve', '--yes', `--https=${HTTPS_PORT}`, 'off').catch((error: Error) =>
        process.stderr.write(`gateway: Tailscale may still serve this port: ${error.message}\n`),
      );
    },
  };
}

function run(...args: readonly string[]): Promise<string> {
  const options = { timeout: ANSWER_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    execFile('tailscale', args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return reject(refused('the program `tailscale` is not installed'));
      const said = stderr.trim().split('\n').at(-1) || error.message;
      reject(refused(`\`tailscale ${args.join(' ')}\` failed: ${said.slice(0, 300)}`));
    }).stdin?.end();
  });
}

function refused(reason: string): SpoolError {
  return new SpoolError('GATEWAY_START_FAILED', { reason });
}
