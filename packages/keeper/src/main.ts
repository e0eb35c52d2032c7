/** The keeper's entry point: a holder starts it, with the link to the holder on an inherited fd. */
import { native } from '@spool/native';
import { Keeper } from './keeper.ts';

process.umask(0o077);
process.title = 'spool-keeper';
native.cloexecFrom(3);

const [way, fd] = process.argv.slice(2);
if (way !== '--link-fd') {
  process.stderr.write('The keeper is started by spool itself; run `spool daemon start`.\n');
  process.exit(2);
}
new Keeper(Number(fd));
