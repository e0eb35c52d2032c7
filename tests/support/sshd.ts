/** A real sshd on loopback for tests, with its own keys and configuration; it lets in the user who runs the tests. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { until } from '@spool/testkit';
import { freePort } from './free-port.ts';

export class TestSshd implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, inside: readonly string[]) {
    this.folder = folder;
    this.port = port;
    const [program = '', ...words] = [...inside, '/usr/sbin/sshd', '-D', '-e', '-f', `${folder}/sshd_config`];
    this.#process = spawn(program, words, { stdio: 'ignore' });
  }

  /**
   * `loginShell` runs the commands of clients as a login shell would; `home` is the folder of the daemon there. `inside`: the words before its
   * command if it is in another network; then its port is not awaited.
   */
  static async start(home: string, loginShell: string, inside: readonly string[] = []): Promise<TestSshd> {
    const folder = mkdtempSync(`${tmpdir()}/spool-sshd-`);
    const port = await freePort();
    for (const key of ['host', 'user'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', `${folder}/${key}`]);
    if (process.getuid!() === 0) mkdirSync('/run/sshd', { recursive: true }); // sshd of root insists on it
    mkdirSync(`${folder}/bin`);
    mkdirSync(`${folder}/data`);
    writeProgram(`${folder}/shell`, loginShell);
    writeProgram(`${folder}/bin/ssh`, `exec /usr/bin/ssh -F ${folder}/ssh_config "$@"`);
    writeFileSync(
      `${folder}/sshd_config`,
      [
        `Port ${port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${folder}/host`,
        'PidFile none',
        `AuthorizedKeysFile ${folder}/user.pub`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin yes',
        `SetEnv SPOOL_HOME=${home} XDG_DATA_HOME=${folder}/data`,
        `ForceCommand ${folder}/shell`,
        '',
      ].join('\n'),
    );
    writeFileSync(
      `${folder}/ssh_config`,
      [
        'Host box',
        '  HostName 127.0.0.1',
        `  Port ${port}`,
        `  IdentityFile ${folder}/user`,
        '  IdentitiesOnly yes',
        `  UserKnownHostsFile ${folder}/known`,
        '  StrictHostKeyChecking accept-new',
        '  LogLevel ERROR',
        '',
      ].join('\n'),
    );
    const sshd = new TestSshd(folder, port, inside);
    if (inside.length === 0) await until('sshd listens', () => canConnect(port), 60_000);
    return sshd;
  }

  /** The PATH for the machine that uses ssh: its `ssh` has the configuration of this test, in which the host is `box`. */
  get path(): string {
    return `${this.folder}/bin:${process.env['PATH']}`;
  }

  /** The folder with the package that was copied. */
  get package(): string {
    return `${this.folder}/data/spool-node`;
  }

  /** Makes this program the package there, as if it had been copied. */
  usePackage(program: string): void {
    mkdirSync(`${this.package}/current`, { recursive: true });
    symlinkSync(program, `${this.package}/current/spool`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function writeProgram(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

async function canConnect(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}
