/** `spool web`: starts the gateway and logs a browser in, by a link that works once. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { GatewayInfo, GatewayOptions } from '@spool/protocol';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { openClient, type VerbAction } from '../program.ts';

const web: VerbAction<'web'> = async ({ flags, operands }, program) => {
  const [action = 'start'] = operands;
  if (!['start', 'status', 'stop'].includes(action))
    throw new UsageError(`unknown action \`web ${action}\`; use start, status or stop`, 'web');
  await using client = await openClient(program);
  if (action === 'status') return tell(await client.doors.status(), flags.json);
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
  }
  if (!flags.noOpen) openBrowser(url);
  return 0;
};

export default web;

/** Undefined when none is given: then any gateway will do. */
function optionsOf(flags: Parameters<VerbAction<'web'>>[0]['flags']): GatewayOptions | undefined {
  const { port, host, basePath, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key belong together', 'web');
  const options: GatewayOptions = {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { cert: resolve(tlsCert), key: resolve(tlsKey) } }),
    ...(basePath !== undefined && { basePath: basePath.replace(/\/+$/, '') }),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}

function tell(gateway: GatewayInfo | null, asJson: boolean): number {
  if (asJson) printJson(gateway ? { running: true, ...gateway } : { running: false });
  else
    print(
      gateway
        ? `The gateway serves ${gateway.url} (pid ${gateway.pid}).`
        : 'No gateway is running; `spool web` starts one.',
    );
  return gateway ? 0 : EXIT.failed;
}

/** Only where there is a screen; the link is printed anyway. Its arguments are visible to others, but the link works once. */
function openBrowser(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (!DISPLAY && !WAYLAND_DISPLAY) return;
  const child = spawn('xdg-open', [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // no xdg-open: the user opens the link
  child.unref();
}
