/** The peers, as packaged by Debian; each starts `command` detached and has an attach command. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { program } from '@spool/testkit';

export interface RivalSession {
  readonly attach: readonly string[];
  stop(): void;
}

type Variables = Readonly<Record<string, string | undefined>>;

export const PEERS: Readonly<Record<'tmux' | 'dtach', (command: string) => RivalSession>> = {
  tmux(command) {
    const server = ['tmux', '-L', `spool-bench-${process.pid}`, '-f', '/dev/null'];
    execFileSync(server[0]!, [...server.slice(1), 'new-session', '-d', '-x', '80', '-y', '24', command]);
    const stop = (): void => void execFileSync(server[0]!, [...server.slice(1), 'kill-server']);
    return { attach: [...server, 'attach'], stop };
  },
  dtach(command) {
    const socket = `${tmpdir()}/spool-bench-${process.pid}.dtach`;
    rmSync(socket, { force: true });
    execFileSync('dtach', ['-n', socket, 'sh', '-c', command]);
    const stop = (): void => {
      for (const line of execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n'))
        if (line.includes(`dtach -n ${socket}`)) process.kill(Number.parseInt(line, 10));
    };
    return { attach: ['dtach', '-a', socket, '-r', 'none'], stop };
  },
};

export function isInstalled(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Seconds until `mark` is on the attached terminal. */
export function shown(mark: string, attach: readonly string[], environment: Variables): number {
  const out = execFileSync(program('limit'), ['until', '120', mark, ...attach], {
    encoding: 'utf8',
    env: { ...environment, TERM: 'xterm-256color' },
  });
  return (JSON.parse(out) as { seconds: number }).seconds;
}

/** The median time of a key there and back through an attached terminal, in microseconds. */
export function keyMicroseconds(
  rounds: number,
  attach: readonly string[],
  environment: Variables,
  pauseUs = 2000,
): number {
  const out = execFileSync(program('limit'), ['type', String(rounds), String(pauseUs), ...attach], {
    encoding: 'utf8',
    env: { ...environment, TERM: 'xterm-256color' },
  });
  return (JSON.parse(out) as { p50: number }).p50;
}
