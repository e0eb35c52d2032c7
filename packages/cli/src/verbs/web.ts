/** `spool web`: starts the gateway and logs a browser in, by a link that works once. */
import { resolve } from 'node:path';
import type { GatewayInfo, GatewayOptions } from '@spool/protocol';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openClient, type VerbAction } from '../program.ts';

const web: VerbAction<'web'> = async ({ flags, operands }, program) => {
  const [action = 'start'] = operands;
  if (!['start', 'status', 'stop', 'trust'].includes(action))
    throw new UsageError(`unknown action \`web ${action}\`; use start, status, stop or trust`, 'web');
  if (flags.qr && flags.json) throw new UsageError('--qr cannot be combined with --json', 'web');
  await using client = await openClient(program);
  if (action === 'status') return printGateway(await client.doors.status(), flags.json);
  if (action === 'trust') return await tellTrust(await client.doors.status(), flags);
  if (action === 'stop') {
    const stopped = await client.doors.stop();
    if (flags.json) printJson({ running: false, stopped: stopped !== null });
    else print(stopped ? 'The gateway has stopped.' : 'No gateway was running.');
    return 0;
  }
  const gateway = await client.doors.start(optionsOf(flags));
  const { token } = await client.doors.createToken({ kind: 'code', role: 'owner', name: 'launch' });
  const url = `${gateway.url}#code=${token}`;
  if (flags.json) printJson({ url, port: gateway.port });
  else {
    print(url);
    notice('The link works once, within a minute.');
    if (flags.tls === 'self-signed') notice('Phones refuse a self-signed certificate; use --tls own or --tailscale.');
    if (gateway.trust) notice(`A device must trust Spool's CA once: ${gateway.trust.url} explains how.`);
    if (flags.qr) await showQr(url);
  }
  if (!flags.noOpen && !flags.qr) (await import('../output/launch-file.ts')).openBrowser(url);
  return 0;
};

export default web;

/** Returns the options; undefined without any: then every gateway will do. */
function optionsOf(flags: Parameters<VerbAction<'web'>>[0]['flags']): GatewayOptions | undefined {
  const { port, host, basePath, tlsCert, tlsKey, tls, tailscale, publicUrl, trustProxy } = flags;
  if (tls !== undefined && tls !== 'own' && tls !== 'self-signed')
    throw new UsageError(`unknown certificate --tls "${tls}"; use own or self-signed`, 'web');
  if (tls !== undefined && tlsCert !== undefined)
    throw new UsageError('use --tls or --tls-cert and --tls-key, not both', 'web');
  if (tailscale && (host !== undefined || publicUrl !== undefined || tls !== undefined || tlsCert !== undefined))
    throw new UsageError('--tailscale cannot be combined with --host, --public-url or a certificate', 'web');
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key belong together', 'web');
  const options: GatewayOptions = {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { cert: resolve(tlsCert), key: resolve(tlsKey) } }),
    ...(tls !== undefined && { tls }),
    ...(tailscale && { tailscale }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(trustProxy.length > 0 && { trustedProxies: trustProxy }),
    ...(basePath !== undefined && { basePath: basePath.replace(/\/+$/, '') }),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}

function printGateway(gateway: GatewayInfo | null, asJson: boolean): number {
  if (asJson) printJson(gateway ? { running: true, ...gateway } : { running: false });
  else
    print(
      gateway
        ? `The gateway serves ${gateway.url} (pid ${gateway.pid}).`
        : 'No gateway is running; `spool web` starts one.',
    );
  return gateway ? 0 : EXIT.failed;
}

async function tellTrust(gateway: GatewayInfo | null, { json, qr }: { json: boolean; qr: boolean }): Promise<number> {
  const trust = gateway?.trust;
  if (!trust)
    throw new UsageError(
      'no gateway that uses the CA of Spool is running; start one with `spool web --host ADDRESS --tls own`',
      'web',
    );
  if (json) printJson(trust);
  else {
    print(trust.url);
    print(`SHA-256 fingerprint: ${trust.fingerprint}`);
    notice('Open the address on the device, and compare the fingerprint.');
    if (qr) await showQr(trust.url);
  }
  return 0;
}

async function showQr(url: string): Promise<void> {
  const { columns = 80, rows = 24, isTTY } = process.stdout;
  const { qrLines } = await import('../output/qr-code.ts');
  const lines = qrLines(url, {
    columns,
    rows: isTTY ? rows : Infinity,
    hasColour: isTTY && process.env.TERM !== 'dumb',
  });
  if (lines === null) notice('The terminal is too small for the QR code; make it larger, or use the link.');
  else for (const line of lines) print(line);
}
