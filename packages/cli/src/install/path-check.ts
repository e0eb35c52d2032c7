/** Checks that the shell finds `spool`, and that it is this installation, for `spool doctor`. Keeps INST-3. */
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import type { DoctorFinding } from '../verbs/doctor.ts';
import { accountFolders } from './account-folders.ts';
import { installInAccount } from './account-installation.ts';

const CHECK = 'PATH';

/** `launcher`: the path of this installation's launcher. */
export function pathCheck(env: NodeJS.ProcessEnv, launcher: string): DoctorFinding {
  const found = findSpool((env['PATH'] ?? '').split(':'));
  if (found !== null) return ofFound(found, launcher);
  if (!env['HOME']?.startsWith('/')) {
    return { check: CHECK, level: 'warn', says: 'has no spool, and HOME is not set', todo: `start it as ${launcher}` };
  }
  const { bin } = accountFolders(env);
  const link = `${bin}/spool`;
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) {
    const todo = `add to your shell's profile: export PATH="${bin}:$PATH"`;
    return { check: CHECK, level: 'warn', says: `does not contain ${bin}, where spool is`, todo };
  }
  const fix = (): string => {
    installInAccount(env);
    return `linked ${link} to ${launcher}`;
  };
  return { check: CHECK, level: 'warn', says: 'has no spool', todo: `run ${launcher} install`, fix };
}

function ofFound(found: string, launcher: string): DoctorFinding {
  const target = realpathSync(found);
  if (target === realpathSync(launcher)) return { check: CHECK, level: 'ok', says: `${found} is this installation` };
  return {
    check: CHECK,
    level: 'warn',
    says: `${found} is another installation (${target}) than this one (${launcher})`,
    todo: `run ${launcher} install, or remove the one that you do not use`,
  };
}

/** Returns the file that a shell would execute. */
function findSpool(folders: readonly string[]): string | null {
  const paths = folders.filter((folder) => folder.startsWith('/')).map((folder) => `${folder}/spool`);
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // the next folder may have it
  }
}
