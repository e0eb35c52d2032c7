/** Sends fds over a link without room for them, under a low limit (`ulimit -n`). Prints the results. */
import { openSync } from 'node:fs';
import { FdLink } from '../fd-link.ts';
import { FdWatch } from '../fd-watch.ts';
import { native } from '../index.ts';
import { MissedSessions } from '../missed-sessions.ts';
import { SpareFds } from '../spare-fds.ts';

interface Message {
  readonly type: 'before' | 'session' | 'missed' | 'last';
}

const events: string[] = [];
const watch = new FdWatch();
const [here, there] = native.socketPair();
const sent = Array.from({ length: 4 }, () => openSync('/dev/null', 'r'));

const sender = new FdLink<Message, Message>(watch, here, {
  onMessage(message) {
    events.push(`asked again: ${message.type}`);
    sender.send({ type: 'session' }, sent);
  },
  onFdsLost: () => events.push('the sender was sent none'),
  onEnd: () => events.push('the sender was left alone'),
});
const missed = new MissedSessions(new SpareFds(), () => receiver.send({ type: 'missed' }));
const receiver = new FdLink<Message, Message>(watch, there, {
  onMessage(message, fds) {
    events.push(`${message.type} with ${fds.length}`);
    if (message.type === 'session') missed.got('one');
    if (message.type === 'last') missed.whenComplete(report);
  },
  onFdsLost(message) {
    events.push(`${message.type} lost its fds`);
    missed.miss('one');
  },
  onEnd: () => events.push('the link broke'),
});

takeAllFds();
sender.send({ type: 'before' });
sender.send({ type: 'session' }, sent);
sender.send({ type: 'last' });

function report(): void {
  process.stdout.write(JSON.stringify(events));
  process.exit(0);
}

function takeAllFds(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
}
