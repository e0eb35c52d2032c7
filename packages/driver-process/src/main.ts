/**
 * A driver host: runs the drivers of agents' sessions for the keeper (`driver.mjs --link-fd 3 --step-fd 4 --config DIR`, with the
 * name of the driver if there is only one). It gets its drivers on the link, and ends with the keeper, whose successor starts
 * another. Keeps DRV-43: a driver that fails ends no other one; and DRV-45: it also ends while it hangs.
 */
import { parseArgs } from 'node:util';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import { type FromDriverHost, LOAD_CHECK, logLine, type ToDriverHost } from '@spool/protocol';
import { HostedDriver } from './hosted-driver.ts';
import { StepMark } from './step-mark.ts';

if (process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'link-fd': { type: 'string' }, 'step-fd': { type: 'string' }, config: { type: 'string' } },
});
const [name] = positionals;
process.title = name === undefined ? 'spool-drivers' : `spool-driver ${name}`;
native.endWithParent(Number(values['link-fd']), 0);

const mark = new StepMark(Number(values['step-fd']));
const drivers = new Map<number, HostedDriver>();
const link = new FdLink<ToDriverHost, FromDriverHost>(new FdWatch(), Number(values['link-fd']), {
  onMessage: (message, [fd]) => {
    if (message.type === 'ping') return link.send({ type: 'pong' });
    const { slot, order } = message;
    const configFolder = values.config ?? '';
    const onGone = (how: string): void => gone(slot, how);
    drivers.set(slot, new HostedDriver({ order, fd: fd!, slot, mark, configFolder, onGone }));
  },
  onFdsLost: (message) => {
    if (message.type === 'drive') gone(message.slot, 'there is no file descriptor for its socket');
  },
  onEnd: () => process.exit(0), // the keeper is gone
});

process.on('uncaughtException', (error) => {
  if (mark.slot !== null) return drivers.get(mark.slot)?.fail(error); // one that has ended leaves requests that fail
  process.stderr.write(logLine('error', 'drivers', process.pid, error.stack ?? String(error)));
  process.exit(1);
});

function gone(slot: number, how: string): void {
  drivers.delete(slot);
  link.send({ type: 'gone', slot, how });
}
