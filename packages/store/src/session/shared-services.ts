/**
 * Recognises the services that agents start once for each user, and share between all their terminals: `stop` of the session
 * that happened to start one must not end it (decision 160). Keeps RUN-26.
 *
 * Three signs are needed: its command is in the table below, it leads its own terminal session, and it listens on a unix socket
 * outside of the session's folders. A server that an agent starts for one session (`codex app-server --listen unix://PATH`) is
 * not in the table: it belongs to that session.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { readProc } from '@spool/native/process-identity';

interface SharedServiceKind {
  /** The name that users see. */
  readonly name: string;
  /** The name of the program file. */
  readonly program: RegExp;
  /** Its arguments, joined by spaces. */
  readonly command: RegExp;
}

/** The known services, observed with Codex 0.166 to 0.169 and Claude Code 2.1.326. */
const SHARED_SERVICES: readonly SharedServiceKind[] = [
  { name: "Codex's shared service", program: /^codex$/, command: /^\S+ app-server (?:.* )?--managed-daemon(?: |$)/ },
  { name: "Codex's updater", program: /^codex$/, command: /^\S+ app-server daemon pid-update-loop(?: |$)/ },
  { name: "Claude's background service", program: /^claude$/, command: /^\S+ daemon run(?: |$)/ },
  { name: "Claude's background session", program: /^claude$/, command: /^\S+ (?:.* )?--bg-pty-host / },
];

/** The facts about a process. */
export interface ServiceSigns {
  /** Its arguments, joined by spaces. */
  readonly command: string;
  /** The path of its program file. */
  readonly program: string;
  /** The paths of the unix sockets that it listens on. */
  readonly sockets: readonly string[];
}

/** Returns the name of the service, or null for any other process. `folders` are those of the session. */
export function serviceNameOf({ command, program, sockets }: ServiceSigns, folders: readonly string[]): string | null {
  const file = program.replace(/ \(deleted\)$/, '').replace(/^.*\//, '');
  const kind = SHARED_SERVICES.find((each) => each.program.test(file) && each.command.test(command));
  const isOutside = (path: string): boolean => !folders.some((folder) => path.startsWith(`${folder}/`));
  return kind !== undefined && sockets.some(isOutside) ? kind.name : null;
}

/** Returns the name of the service that a process is; null for any other process, and for one that may not be read. */
export function readServiceName(pid: number, folders: readonly string[]): string | null {
  const command = (readProc(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trimEnd();
  if (!SHARED_SERVICES.some((kind) => kind.command.test(command))) return null; // cheaper than reading sockets
  try {
    return serviceNameOf(
      { command, program: readlinkSync(`/proc/${pid}/exe`), sockets: listeningSockets(pid) },
      folders,
    );
  } catch {
    return null; // gone meanwhile, or another user's
  }
}

/** The flag SO_ACCEPTCON: the socket listens. */
const LISTENS = 0x10000;

function listeningSockets(pid: number): string[] {
  const inodes = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  const paths: string[] = [];
  for (const line of (readProc(`/proc/${pid}/net/unix`) ?? '').split('\n')) {
    // Num RefCount Protocol Flags Type St Inode Path
    const [, , , flags = '0', , , inode = '', path] = line.split(/ +/);
    if (path !== undefined && inodes.has(inode) && (parseInt(flags, 16) & LISTENS) !== 0) paths.push(path);
  }
  return paths;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
