/**
 * `spool doctor`: prints one line per check, with a remedy. It does not start a daemon, and changes nothing without `--fix`. Keeps
 * STATE-9, INST-3 and INST-4.
 */
import { EXIT } from '../command-line/exit-code.ts';
import { accessSync, chmodSync, constants, existsSync, lstatSync, readFileSync, statfsSync } from 'node:fs';
import { release } from 'node:os';
import { dirname } from 'node:path';
import { configPath, type Home, homeFrom, userConfig, VERSION } from '@spool/client/node';
import { installedFile } from '@spool/native/installed-file';
import {
  type DaemonStatus,
  type GatewayFaults,
  gatewayFaultsFile,
  type SessionInfo,
  skewLine,
  SOCKET_PATH_BYTES_MAX,
  socketIn,
  SpoolError,
} from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { agentChecks } from '../agents/agent-check.ts';
import { formatConfigFault } from '../command-line/config-faults.ts';
import { failureOf } from '../command-line/failure.ts';
import { inotifyCheck } from '../daemon/inotify-check.ts';
import { oneDaemon } from '../daemon/one-daemon.ts';
import { launcherPath } from '../install/launcher.ts';
import { lingerCheck } from '../install/linger-check.ts';
import { pathCheck } from '../install/path-check.ts';
import { printable } from '../output/printable.ts';
import { openClient, type ProgramLocation, type VerbAction } from '../program.ts';
import { nodeNames } from '../remote/node-choice.ts';
import { formatByteSize } from '../command-line/quantities.ts';
import { print, printJson, wantsColour } from '../output/stdio.ts';
import { caseFindings, casesInShort } from '../rule-cases/case-lines.ts';
import { checkedConfig } from '../rule-cases/checked-config.ts';
import { UsageError } from '../command-line/usage-error.ts';

export interface DoctorFinding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly says: string;
  readonly todo?: string;
  /** Applies a harmless remedy, for `--fix`, and returns a sentence about it. It is not printed. */
  readonly fix?: () => string;
}

const DISK_BYTES_WARN = 1024 ** 3;
const DISK_BYTES_FAIL = 50 * 1024 ** 2;
/**
 * The limit of open files below which a warning is given. A session needs five descriptors, and a daemon should be able to hold
 * hundreds of sessions.
 */
const OPEN_FILES_WARN = 4096;
/** The share of open files above which the daemon starts to refuse requests. */
const OPEN_FILES_SHARE_WARN = 0.7;
const ANSWER_MS_WARN = 500;

const doctor: VerbAction<'doctor'> = async ({ flags, operands: [subject] }, program) => {
  if (subject !== undefined && subject !== 'rules')
    throw new UsageError(`unknown check ${JSON.stringify(subject)}; use \`doctor\` or \`doctor rules\``, 'doctor');
  const look = (): Promise<DoctorFinding[]> => (subject === 'rules' ? examineRules(program) : examine(program));
  let findings = await look();
  const fixed = flags.fix ? findings.flatMap(applyFix) : [];
  if (fixed.length > 0) findings = [...fixed, ...(await look())];
  if (flags.json) printJson(findings);
  else print(findings.map((finding) => line(finding, wantsColour(1))).join('\n'));
  return findings.some(({ level }) => level === 'fail') ? EXIT.failed : 0;
};

export default doctor;

function applyFix({ check, fix }: DoctorFinding): DoctorFinding[] {
  if (fix === undefined) return [];
  try {
    return [{ check, level: 'ok', says: `fixed: ${fix()}` }];
  } catch (error) {
    return [{ check, level: 'warn', says: `could not be fixed: ${printable((error as Error).message)}` }];
  }
}

async function examine(program: ProgramLocation): Promise<DoctorFinding[]> {
  const findings = [
    nodeVersion(process.versions.node),
    ...files(program),
    ...(program.isBundled ? [pathCheck(process.env, launcherPath())] : []),
    kernel(process.platform, release()),
    openFiles(),
    inotifyCheck(),
    lingerCheck(),
    stty(),
  ];
  let home: Home;
  try {
    home = homeFrom(process.env, process.getuid?.() ?? 0);
  } catch (error) {
    return [
      ...findings,
      {
        check: 'folders',
        level: 'fail',
        says: failureOf(error).message,
        todo: 'set HOME, or SPOOL_HOME to an absolute path',
      },
    ];
  }
  for (const [name, path] of Object.entries({ state: home.state, run: home.run, sessions: home.sessions }))
    findings.push(folder(name, path));
  findings.push(socketPath(home), diskSpace(home.state), ...configuration(), ...(await ownRules(program, home)));
  findings.push(...(await daemon(program, home)));
  return findings;
}

export function nodeVersion(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isGood = major > 22 || (major === 22 && minor >= 15);
  if (isGood) return { check: 'node', level: 'ok', says: version };
  return {
    check: 'node',
    level: 'fail',
    says: `${version} is too old`,
    todo: 'use Node 22.15 or later; spool is tested with 24',
  };
}

/** Files of the bundle, by purpose. Files without an extension are separate programs. */
const BUNDLE = {
  program: ['holder.mjs', 'keeper.mjs', 'screens.mjs', 'gateway.mjs', 'spool_native.node', 'spool-fd-store'],
  'agent parts': ['driver.mjs', 'bridge.mjs', 'pipe.mjs', 'spool-beside', 'spool-hook', 'spool-tied'],
} as const;

/** Checks the files of the bundle. The repository has none to check. */
export function files({ isBundled, folder: dist }: Pick<ProgramLocation, 'isBundled' | 'folder'>): DoctorFinding[] {
  if (!isBundled) return [{ check: 'program', level: 'ok', says: 'runs from source' }];
  return Object.entries(BUNDLE).map(([check, names]) => {
    const wrong = names.flatMap((name) => {
      const path = installedFile(dist, name);
      if (!existsSync(path)) return [`${name} is missing`];
      return name.includes('.') || isExecutable(path) ? [] : [`${name} is not executable`];
    });
    if (wrong.length === 0) return { check, level: 'ok', says: `complete, in ${dist}` };
    const says = `${wrong.join(', ')} in ${dist}`;
    return { check, level: 'fail', says, todo: 'install spool again; in a clone, run node scripts/setup.mjs' };
  });
}

/** Checks for kernel features that spool uses. The addon falls back where it can; the finding names the effect. */
export function kernel(platform: string, version: string): DoctorFinding {
  const check = 'system';
  if (platform !== 'linux') {
    return {
      check,
      level: 'warn',
      says: `${platform}: sessions end with the daemon; they survive it only on Linux`,
    };
  }
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const isSince = (wantedMajor: number, wantedMinor: number): boolean =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  if (!isSince(5, 9)) {
    return {
      check,
      level: 'fail',
      says: `Linux ${version} lacks pidfd or close_range`,
      todo: 'use Linux 5.9 or later',
    };
  }
  if (!isSince(6, 15)) {
    const says = `Linux ${version}: if the holder is killed, sessions survive, but their exit codes are lost (fixed in 6.15)`;
    return { check, level: 'warn', says };
  }
  return { check, level: 'ok', says: `Linux ${version}` };
}

function openFiles(): DoctorFinding {
  const limits = readOrEmpty('/proc/self/limits');
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1] ?? 'unknown';
  if (Number(hard) < OPEN_FILES_WARN) {
    return {
      check: 'open files',
      level: 'warn',
      says: `at most ${hard}`,
      todo: `raise the limit (ulimit -Hn) to ${OPEN_FILES_WARN} or more for many sessions`,
    };
  }
  return { check: 'open files', level: 'ok', says: `at most ${hard}` };
}

function stty(): DoctorFinding {
  const isThere = (process.env.PATH ?? '').split(':').some((path) => path !== '' && isExecutable(`${path}/stty`));
  if (isThere) return { check: 'stty', level: 'ok', says: 'found' };
  return {
    check: 'stty',
    level: 'warn',
    says: 'not found: attached full-screen programs may be drawn incorrectly',
    todo: 'install coreutils or busybox',
  };
}

export function folder(name: string, path: string, uid = process.getuid?.() ?? 0): DoctorFinding {
  const check = `${name} folder`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { check, level: 'ok', says: `${path} (does not exist yet; created when needed)` };
  if (found.isSymbolicLink())
    return { check, level: 'fail', says: `${path} is a symbolic link`, todo: `remove it: rm '${path}'` };
  if (!found.isDirectory())
    return { check, level: 'fail', says: `${path} is not a folder`, todo: `move it away: mv '${path}' '${path}.old'` };
  if (found.uid !== uid)
    return {
      check,
      level: 'fail',
      says: `${path} belongs to user ${found.uid}, not to you (${uid})`,
      todo: 'set SPOOL_HOME to a folder of yours',
    };
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    return {
      check,
      level: 'fail',
      says: `${path} is accessible to other users (mode ${mode})`,
      todo: `run chmod 700 '${path}'`,
      fix: () => {
        chmodSync(path, 0o700);
        return `chmod 700 ${path}`;
      },
    };
  }
  return { check, level: 'ok', says: path };
}

function socketPath({ socket }: Home): DoctorFinding {
  const bytes = Buffer.byteLength(socket);
  if (bytes <= SOCKET_PATH_BYTES_MAX)
    return { check: 'socket', level: 'ok', says: `${socket} (${bytes} of ${SOCKET_PATH_BYTES_MAX} bytes)` };
  return {
    check: 'socket',
    level: 'fail',
    says: `${socket} is too long: ${bytes} of ${SOCKET_PATH_BYTES_MAX} bytes`,
    todo: 'set SPOOL_HOME to a shorter path',
  };
}

function diskSpace(path: string): DoctorFinding {
  let place = path;
  while (!existsSync(place) && place !== '/') place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const says = `${formatByteSize(free)} free for ${path}`;
  const todo = 'free some space, or remove ended sessions: spool rm --ended';
  if (free < DISK_BYTES_FAIL) return { check: 'disk', level: 'fail', says, todo };
  return free < DISK_BYTES_WARN ? { check: 'disk', level: 'warn', says, todo } : { check: 'disk', level: 'ok', says };
}

async function ownRules(program: ProgramLocation, home: Home): Promise<DoctorFinding[]> {
  const { config } = home;
  try {
    const found = await checkedConfig(program, home, ['agents']);
    const agents = agentChecks(found.agents, userConfig(process.env).settings.sideChannel);
    return [...ofOwnRules(config, found), ...casesInShort(found.cases), ...ofKept(found), ...agents];
  } catch (error) {
    const says = `the rules and milestones in ${config} could not be checked: ${printable((error as Error).message)}`;
    return [{ check: 'own rules', level: 'warn', says }];
  }
}

/** `spool doctor rules`: prints the faults of the user's rules, and each saved case. */
async function examineRules(program: ProgramLocation): Promise<DoctorFinding[]> {
  const home = homeFrom(process.env, process.getuid?.() ?? 0);
  const found = await checkedConfig(program, home);
  const none: DoctorFinding = {
    check: 'rule cases',
    level: 'ok',
    says: `none in ${home.config}/rules/cases; save one with spool explain ID --save STATE`,
  };
  return [...ofOwnRules(home.config, found), ...(found.cases.length === 0 ? [none] : caseFindings(found.cases))];
}

interface OwnRules {
  readonly rules: number;
  readonly milestones: number;
  readonly faults: readonly string[];
}

function ofOwnRules(config: string, { rules, milestones, faults }: OwnRules): DoctorFinding[] {
  const check = 'own rules';
  if (faults.length === 0)
    return [{ check, level: 'ok', says: `${config} (rule files: ${rules}, milestone files: ${milestones})` }];
  const todo = 'correct the file; all other entries apply (see docs/state.md)';
  return faults.map((fault) => ({ check, level: 'warn', says: printable(fault), todo }));
}

interface SessionFolders {
  readonly withoutRecord: readonly string[];
}

/** The number of folders that are named: of thousands, the first few are enough to recognise them. */
const FOLDERS_SHOWN = 5;

export function ofKept({ withoutRecord }: SessionFolders): DoctorFinding[] {
  const todo = 'its output is in log/; save that, then move the folder away';
  const folders = withoutRecord.slice(0, FOLDERS_SHOWN).map((folder): DoctorFinding => ({
    check: 'session folder',
    level: 'warn',
    says: `${folder} has no readable record`,
    todo,
  }));
  const more = withoutRecord.length - folders.length;
  const says = `${more} more folders in ${dirname(withoutRecord[0] ?? '')} have no readable record`;
  return [...folders, ...(more > 0 ? [{ check: 'session folder', level: 'warn', says } as const] : [])];
}

function configuration(): DoctorFinding[] {
  const check = 'configuration';
  const path = configPath(process.env);
  const { faults, lines } = userConfig(process.env);
  const says = existsSync(path) ? `${path} (settings: ${lines.size})` : `${path} (does not exist; the defaults apply)`;
  if (faults.length === 0) return [{ check, level: 'ok', says }];
  return faults.map((fault) => ({ check, level: 'warn', says: formatConfigFault(fault) }));
}

async function daemon(program: ProgramLocation, home: Home): Promise<DoctorFinding[]> {
  const startedAt = performance.now();
  try {
    await using client = await openClient(program, { start: false });
    const status = await client.status();
    const answerMs = performance.now() - startedAt;
    return [
      ...running(status, answerMs),
      oneDaemon(status, home),
      ...daemonFiles(status),
      ...gatewayFaults(status, readOrEmpty(gatewayFaultsFile(home))),
      ...troubles(await client.list()),
      ...(nodeNames().length > 0 ? versionsOfNodes(await client.nodes.list().catch(() => [])) : []),
    ];
  } catch (error) {
    if (
      SpoolError.is(error, 'DAEMON_UNREACHABLE') &&
      error.details.host === undefined &&
      ['ENOENT', 'ECONNREFUSED'].includes(String(error.details.reason))
    ) {
      const isStale = existsSync(home.address) || home.runs.some((run) => existsSync(socketIn(run)));
      return [
        {
          check: 'daemon',
          level: 'ok',
          says: `not running; the first verb that needs it starts it${isStale ? ' (and removes an old socket)' : ''}`,
        },
      ];
    }
    return [
      {
        check: 'daemon',
        level: 'fail',
        says: failureOf(error).message,
        todo: `see its log ${home.daemonLog}, or run spool daemon restart`,
      },
    ];
  }
}

/** Names the nodes whose version is not that of this machine. */
export function versionsOfNodes(nodes: readonly Parameters<typeof skewLine>[0][]): DoctorFinding[] {
  return nodes.flatMap((node) => {
    const line = skewLine(node);
    if (line === null) return [];
    const [says = '', todo = ''] = printable(line).split(': ');
    return [{ check: 'node version', level: 'warn', says, todo }];
  });
}

/** The limit of the daemon may differ from the limit here. */
export function daemonFiles({ openFiles: files }: DaemonStatus): DoctorFinding[] {
  if (!files) return []; // an older daemon does not report it
  const check = 'daemon files';
  const says = `${files.used} of ${files.limit} open, ${files.connections} of ${files.connectionsMax} connections`;
  const isFew = files.used > files.limit * OPEN_FILES_SHARE_WARN || files.connections >= files.connectionsMax;
  if (!isFew) return [{ check, level: 'ok', says }];
  return [
    {
      check,
      level: 'warn',
      says,
      todo: 'stop sessions, close clients, or start the daemon with a higher limit (ulimit -Hn)',
    },
  ];
}

/** Faults that the running gateway has survived: none is expected, so each should be reported. */
export function gatewayFaults({ gateway }: Pick<DaemonStatus, 'gateway'>, file: string): DoctorFinding[] {
  if (!gateway) return [];
  const check = 'gateway';
  const faults = parsedFaults(file);
  if (faults?.pid !== gateway.pid) return [{ check, level: 'ok', says: `pid ${gateway.pid}, no faults` }];
  const says = `pid ${gateway.pid}, faults: ${faults.connections} of connections, ${faults.outside} others`;
  return [{ check, level: 'warn', says, todo: 'see the daemon log, and report them' }];
}

function parsedFaults(file: string): GatewayFaults | null {
  try {
    return JSON.parse(file) as GatewayFaults | null;
  } catch {
    return null; // it does not exist, or is being written
  }
}

export function running(status: DaemonStatus, answerMs: number): DoctorFinding[] {
  return [
    answerMs < ANSWER_MS_WARN
      ? {
          check: 'daemon',
          level: 'ok',
          says: `answers in ${Math.round(answerMs)} ms (holder pid ${status.holder.pid}, keeper pid ${status.keeper.pid})`,
        }
      : {
          check: 'daemon',
          level: 'warn',
          says: `took ${Math.round(answerMs)} ms to answer`,
          todo: 'check whether the machine is overloaded',
        },
    versions(status),
    status.escrow
      ? { check: 'recovery', level: 'ok', says: 'sessions survive a crash of the keeper' }
      : {
          check: 'recovery',
          level: 'warn',
          says: 'sessions end with the daemon, because it is a single process on this system',
        },
  ];
}

/** An older daemon does not report the version of its gateway. */
function versions({ version, gateway, program }: DaemonStatus): DoctorFinding {
  const check = 'version';
  const gatewayVersion = gateway?.version;
  const refused = program?.refused;
  if (refused !== undefined && refused.at >= (program?.since ?? 0)) {
    const says = `a new program was given up ${shortDuration(Date.now() - refused.at)} ago: ${printable(refused.reason)}`;
    return { check, level: 'warn', says, todo: 'check that installation, then run spool daemon upgrade' };
  }
  const since = program?.since === undefined ? '' : `, in use for ${shortDuration(Date.now() - program.since)}`;
  if (version === VERSION && (gatewayVersion ?? VERSION) === VERSION)
    return { check, level: 'ok', says: `${VERSION}${since}` };
  const parts = [
    `the daemon is ${printable(version)}`,
    ...(gatewayVersion === undefined ? [] : [`the gateway is ${printable(gatewayVersion)}`]),
    `this program is ${VERSION}`,
  ];
  return { check, level: 'warn', says: parts.join(', '), todo: 'run spool daemon upgrade (sessions keep running)' };
}

export function troubles(sessions: readonly SessionInfo[]): DoctorFinding[] {
  return sessions
    .filter(({ trouble }) => trouble !== null)
    .map(({ id, trouble }) => ({ check: `session ${id}`, level: 'warn', says: printable(trouble!) }));
}

const COLOURS = { ok: '\x1b[32m', warn: '\x1b[33m', fail: '\x1b[31m' } as const;

export function line({ check, level, says, todo }: DoctorFinding, isColoured: boolean): string {
  const word = isColoured ? `${COLOURS[level]}${level}\x1b[m` : level;
  return `${word}${' '.repeat(6 - level.length)}${check.padEnd(17)} ${says}${todo ? `; ${todo}` : ''}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // missing or not executable
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // no /proc: the check then reports "unknown"
  }
}
