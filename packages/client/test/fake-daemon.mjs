/**
 * A daemon for tests of the connection to it: takes the folder by an atomic mkdir, listens, greets, and answers every request
 * with its pid. `SPOOL_FAKE` selects its fault. It records its environment.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { decodeJson, encodeJson, FrameReader, FrameType, homeFrom, PROTOCOL_VERSION } from '@spool/protocol';

const home = homeFrom(process.env, process.getuid());
const [, , way, fd] = process.argv;
const say = (line) => writeSync(Number(fd), `${line}\n`);
const how = process.env.SPOOL_FAKE ?? 'well';

mkdirSync(home.run, { recursive: true, mode: 0o700 });
const session = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[3];
const seen = { pid: process.pid, way, cwd: process.cwd(), env: process.env, isLeader: Number(session) === process.pid };
appendFileSync(`${home.state}/starts`, `${JSON.stringify(seen)}\n`);

switch (how) {
  case 'well':
    start();
    break;
  case 'slow':
    setTimeout(start, 700);
    break;
  case 'late': // reports that it is ready before its socket exists
    say('ready');
    setTimeout(listen, 300);
    break;
  case 'refused':
    say(JSON.stringify({ code: 'FOLDER_REFUSED', details: { folder: home.state, reason: 'it is on the moon' } }));
    process.exit(1);
  case 'nonsense':
    say('hello?');
    process.exit(1);
  case 'falls':
    throw new Error('the addon is missing');
  case 'killed':
    process.kill(process.pid, 'SIGKILL');
    break;
}

function start() {
  try {
    mkdirSync(`${home.run}/taken`);
  } catch {
    say('busy');
    process.exit(0);
  }
  if (existsSync(home.socket)) unlinkSync(home.socket);
  listen(() => say('ready'));
}

function listen(then) {
  const server = createServer((socket) => {
    const reader = new FrameReader();
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      reader.push(chunk, ({ type, channel, payload }) => {
        const ask = decodeJson(payload);
        if (type === FrameType.hello)
          socket.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: 'fake' }));
        else socket.write(encodeJson(FrameType.reply, channel, { keeper: { pid: process.pid }, asked: ask }));
      });
    });
  });
  server.listen(home.socket, then);
}
