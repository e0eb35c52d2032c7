/**
 * Finds out whether the programs of an installation can be started, before one of them has to (decision 161): each program of Node
 * is loaded with all that it imports, and each program in C is executed. Helps to keep LIFE-15.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LOAD_CHECK } from '@spool/protocol';
import { PROGRAMS, PROGRAMS_IN_C } from './program-files.ts';

/** Node loads a program in a tenth of a second; a machine under load needs more. */
export const LOAD_MS_MAX = 15_000;
const REASON_CHARACTERS_MAX = 1000;

/** The exit code of our programs in C when they are started without arguments. */
const WRONG_USE = 2;

/** Rejects with the first reason why a program in the folder cannot be started. */
export async function checkPrograms(node: string, folder: string): Promise<void> {
  const problems = await Promise.all([
    ...PROGRAMS.map((name) => loadProblem(node, `${folder}/${name}`)),
    ...PROGRAMS_IN_C.map((name) => executionProblem(`${folder}/${name}`)),
  ]);
  const problem = problems.find((each) => each !== null);
  if (problem !== undefined) throw new Error(problem);
}

/** Returns why Node cannot load the program; null if it can. */
export async function loadProblem(node: string, path: string): Promise<string | null> {
  if (!existsSync(path)) return `${path} is missing`;
  const { how, stdout, stderr } = await run(node, [path, LOAD_CHECK.argument]);
  if (how === null && stdout === LOAD_CHECK.answer) return null;
  return firstError(stderr, path) ?? `${path}: ${how ?? 'it did not load'}`;
}

async function executionProblem(path: string): Promise<string | null> {
  if (!existsSync(path)) return null; // not every installation has it
  const { code, how } = await run(path, []);
  return code === WRONG_USE ? null : `${path}: ${how ?? 'it is another program'}`;
}

interface ProgramResult {
  readonly code: number | null;
  /** Returns the failure in words; null if there was none. */
  readonly how: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: LOAD_MS_MAX, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, how: null, stdout, stderr });
      const code = typeof error.code === 'number' ? error.code : null;
      const ended = error.signal ? `it was ended by ${error.signal}` : `it could not be executed: ${error.message}`;
      resolve({ code, how: code === null ? ended : `it exited with ${code}`, stdout, stderr });
    });
  });
}

/** Matches the line with the error in Node's output, with the place before it. */
function firstError(text: string, path: string): string | null {
  const [place = '', ...lines] = text.split('\n');
  const line = lines.find((each) => /^\w*Error\b/.test(each));
  if (line === undefined) return null;
  return `${place.startsWith('node:') ? path : place}: ${line}`.slice(0, REASON_CHARACTERS_MAX);
}
