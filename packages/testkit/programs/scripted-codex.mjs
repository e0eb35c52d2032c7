/**
 * A program with the process shape of Codex, for tests of the server beside it: no model, no network. It writes who it is, one line
 * of JSON for each process, into the file that SCRIPTED_LOG names. SCRIPTED_SERVER says how its server behaves:
 *
 *   (nothing)   listens, runs a command, and ends at SIGTERM
 *   stubborn    listens, runs a command, and ignores SIGTERM, as its command does
 *   deaf        never listens
 *   dies        prints a reason and exits with 3
 *
 * The terminal program prints its arguments and exits with the number that it reads.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { argv, env, exit, pid, stderr, stdin, stdout } from 'node:process';

const words = argv.slice(2);
const note = (role, id = pid) =>
  appendFileSync(env.SCRIPTED_LOG, `${JSON.stringify({ session: env.SPOOL_SESSION, role, pid: id, words })}\n`);

if (words[0] === '--version') {
  stdout.write('codex-cli 0.169.0\n');
} else if (words[0] === 'app-server') serve();
else {
  note('terminal');
  stdout.write(`started as ${JSON.stringify(words)}\n`);
  stdin.on('data', (bytes) => exit(Number(bytes.toString())));
}

function serve() {
  const behaviour = env.SCRIPTED_SERVER ?? '';
  if (behaviour === 'dies') {
    stderr.write('no server today\n');
    exit(3);
  }
  note('server');
  if (behaviour === 'deaf') return void setInterval(() => {}, 60_000);
  if (behaviour === 'stubborn') process.on('SIGTERM', () => {});
  const script = behaviour === 'stubborn' ? "trap '' TERM; while :; do sleep 1; done" : 'exec sleep 7000';
  const command = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true });
  note('command', command.pid);
  if (behaviour === '')
    process.on('SIGTERM', () => {
      command.kill();
      exit(0);
    });
  createServer(() => {}).listen(words.at(-1).replace('unix://', ''));
}
