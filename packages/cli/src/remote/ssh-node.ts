/**
 * Prepares a machine that has only sshd to be a node: copies this installation to a folder of the user there, and removes it again.
 * It needs no root, no compiler and no network there; if the machine has Node 22.15 or later, that is used, otherwise ours is
 * copied too. Keeps NODE-21.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import {
  sshCaller,
  sshDestination,
  type SshDestination,
  sshReason,
  SSH_FOLDER,
  SSH_MARK,
  sshWords,
} from '@spool/client/ssh';
import { installedFile } from '@spool/native/installed-file';
import { SpoolError, VERSION } from '@spool/protocol';

/** The files for one kind of machine, which npm installs beside the rest. */
const NATIVE_FILES = ['spool_native.node', 'spool-beside', 'spool-fd-store', 'spool-hook', 'spool-tied'] as const;

/** The maximum of ssh's output that is kept. */
const SAID_CHARS_MAX = 64 * 1024;

const LAUNCHER = `#!/bin/sh
d=$(cd "$(dirname "$0")" && pwd -P) || exit 125
n=$d/bin/node
[ -x "$n" ] || n=$(cat "$d/node-path")
exec "$n" "$d/dist/spool.cjs" "$@"
`;

/** The state folder there, for `sh`. */
const STATE = '"${SPOOL_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/spool}"';

const PROBE = `d=${SSH_FOLDER}; l=musl; n=; c=-
if [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ]; then l=gnu; fi
p=$(command -v node || command -v nodejs) && v=$("$p" -p "process.versions.node.split('.').slice(0,2).reduce((a,b)=>a*1000+Number(b),0)" 2>/dev/null) &&
  [ "$v" -ge 22015 ] 2>/dev/null && n=$p
[ -x "$d/current/spool" ] && c=$(cat "$d/current/id" 2>/dev/null)
echo "${SSH_MARK}$(uname -s) $(uname -m) $l \${c:--} $n"
`;

export interface InstalledThere {
  /** Whether the package was copied by this call. */
  readonly isCopied: boolean;
}

/** Copies the package of this installation, whose bundle is in `folder`, unless it is there. */
export async function installOverSsh(url: string, folder: string): Promise<InstalledThere> {
  const destination = sshDestination(url);
  const [os, machine, libc, there, ...rest] = (await overSsh(destination, PROBE)).split(' ');
  const node = rest.join(' ').trim();
  checkPlatform(url, `${os} ${machine} ${libc}`);
  if (!existsSync(`${folder}/spool.cjs`))
    throw new SpoolError('NOT_ALLOWED', { reason: 'this Spool runs from its sources; build it first: npm run setup' });
  const work = mkdtempSync(`${tmpdir()}/spool-package-`);
  try {
    const archive = await pack(folder, work, node === '' ? process.execPath : null);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(archive)) hash.update(chunk as Buffer);
    const sum = hash.digest('hex');
    const id = `${VERSION}-${sum.slice(0, 12)}`;
    if (there === id) return { isCopied: false };
    const said = await overSsh(destination, installScript(id, sum, node), archive);
    if (!said.startsWith('installed')) throw new SpoolError('HOST_UNREACHABLE', { host: url, reason: said });
    return { isCopied: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Returns the number of sessions that removing the package would lose: 0 if the daemon there was in use before; null if they cannot
 * be counted, for example because the daemon is of another version by now.
 */
export async function sessionsLostOverSsh(url: string): Promise<number | null> {
  const script = `d=${SSH_FOLDER}; n=0
if [ -e "$d/fresh" ] && [ -x "$d/current/spool" ]; then
  if l=$("$d/current/spool" ls -a -q </dev/null 2>/dev/null); then n=$(printf %s "$l" | grep -c .); else n=unknown; fi
fi
echo "${SSH_MARK}$n"
`;
  const said = await overSsh(sshDestination(url), script);
  return /^\d+$/.test(said) ? Number(said) : null;
}

/** Removes the copied package; if the daemon was started for this node, it is removed too, with its sessions. */
export async function removeOverSsh(url: string): Promise<void> {
  const script = `d=${SSH_FOLDER}; s=${STATE}
if [ -x "$d/current/spool" ]; then
  "$d/current/spool" node unserve ${sshCaller()} </dev/null >/dev/null 2>&1
  if [ -e "$d/fresh" ]; then
    if ! "$d/current/spool" daemon stop --force </dev/null >/dev/null 2>&1; then echo "${SSH_MARK}running"; exit 0; fi
    rm -rf "$s"
  fi
fi
rm -rf "$d"
if [ -e "$d" ]; then echo "${SSH_MARK}left"; else echo "${SSH_MARK}removed"; fi
`;
  const said = await overSsh(sshDestination(url), script);
  if (said === 'removed') return;
  const reason =
    said === 'running' ? 'the daemon there does not stop, so everything is left' : 'the package is still there';
  throw new SpoolError('HOST_UNREACHABLE', { host: url, reason });
}

function installScript(id: string, sum: string, node: string): string {
  return `set -e
umask 077
d=${SSH_FOLDER}
if [ ! -e "$d" ] && [ ! -e ${STATE} ]; then f=1; else f=; fi
mkdir -p "$d"
t=$(mktemp -d "$d/.new-XXXXXX")
trap 'rm -rf "$t"' EXIT
cat > "$t/package"
if command -v sha256sum >/dev/null; then
  s=$(sha256sum < "$t/package")
  if [ "\${s%% *}" != ${sum} ]; then echo "${SSH_MARK}the package was damaged on its way"; exit 0; fi
fi
mkdir "$t/x"
gzip -dc "$t/package" | tar -xf - -C "$t/x"
printf %s ${quoted(node)} > "$t/x/node-path"
echo ${id} > "$t/x/id"
if ! "$t/x/spool" version >/dev/null 2>"$t/said"; then
  echo "${SSH_MARK}programs in $d cannot be executed; is it mounted noexec? Set XDG_DATA_HOME there: $(tail -n 1 "$t/said")"; exit 0
fi
if [ -n "$f" ]; then : > "$d/fresh"; fi
rm -rf "$d/${id}"
mv "$t/x" "$d/${id}"
ln -sfn ${id} "$d/current"
for o in "$d"/*; do case "$o" in */${id}|*/current|*/fresh) ;; *) rm -rf "$o" ;; esac; done
echo "${SSH_MARK}installed"
`;
}

/** Writes the archive: the bundle without its maps, the native files, and perhaps Node. */
async function pack(folder: string, work: string, node: string | null): Promise<string> {
  const root = `${work}/root`;
  // The code cache is left out: it changes with each command, and would change the id.
  const isPacked = (path: string): boolean => !/\.(map|stamp)$/.test(path) && path !== `${folder}/code-cache`;
  cpSync(folder, `${root}/dist`, { recursive: true, filter: isPacked });
  for (const name of NATIVE_FILES) cpSync(installedFile(folder, name), `${root}/dist/${name}`);
  writeFileSync(`${root}/spool`, LAUNCHER, { mode: 0o755 });
  if (node !== null) {
    mkdirSync(`${root}/bin`);
    // The file is copied: daemons link to the file itself, and tar fails on a file that changes while it is read.
    copyFileSync(node, `${root}/bin/node`);
  }
  const archive = `${work}/package`;
  // The same files give the same bytes, and therefore the same id.
  const words = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '-h', '-I', 'gzip -n -1'];
  const tar = await finished(
    spawn('tar', [...words, '-cf', archive, '-C', root, '.'], { stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  if (tar.code !== 0) throw new SpoolError('NOT_ALLOWED', { reason: `tar cannot pack this installation: ${tar.said}` });
  return archive;
}

function checkPlatform(url: string, there: string): void {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const libc = existsSync('/lib64/ld-linux-x86-64.so.2') || existsSync('/lib/ld-linux-aarch64.so.1') ? 'gnu' : 'musl';
  const here = `Linux ${machine} ${libc}`;
  if (there === here) return;
  throw new SpoolError('HOST_UNREACHABLE', {
    host: url,
    reason: `it is ${there}, and this installation is for ${here}; install Spool there, and use \`spool node join\``,
  });
}

/** Runs a script there, with a file as its input. Returns the line that it prints after the mark. */
async function overSsh(destination: SshDestination, script: string, input?: string): Promise<string> {
  // The user can answer questions of ssh, which asks them on the terminal itself.
  const ssh = spawn('ssh', sshWords(destination, script, false), { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  ssh.stdout.on('data', (bytes: Buffer) => (out = `${out}${bytes.toString()}`.slice(-SAID_CHARS_MAX)));
  ssh.stdin.on('error', () => {}); // ssh reports why it has ended
  const sent = input === undefined ? ssh.stdin.end() : pipeline(createReadStream(input), ssh.stdin);
  const { code, said } = await finished(ssh);
  await Promise.resolve(sent).catch(() => {});
  const at = out.lastIndexOf(SSH_MARK);
  if (at !== -1) return out.slice(at + SSH_MARK.length).split('\n')[0]!;
  throw new SpoolError('HOST_UNREACHABLE', { host: destination.url, reason: sshReason(said, code) });
}

async function finished(child: ChildProcess): Promise<{ readonly code: number | null; readonly said: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-SAID_CHARS_MAX)));
  child.once('error', reject).once('close', resolve);
  return { code: await promise, said };
}

/** Quotes a word for `sh`. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
