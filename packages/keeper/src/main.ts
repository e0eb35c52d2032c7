/** The keeper's entry point: a holder starts it, with the link to the holder on an inherited fd. Keeps SPEED-3. */
import { native } from '@spool/native';
import { LOAD_CHECK } from '@spool/protocol';
import { Keeper } from './keeper.ts';

if (process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}
process.umask(0o077);
process.title = 'spool-keeper';
native.cloexecFrom(3);

const [way, fd] = process.argv.slice(2);
if (way !== '--link-fd') {
  process.stderr.write('The keeper is started by spool itself; run `spool daemon start`.\n');
  process.exit(2);
}
new Keeper(Number(fd));
