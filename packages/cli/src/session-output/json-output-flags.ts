/** The common part of `run` and `attach` for `--json-output` and `--json-file`. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { isTerminal } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

interface Flags {
  readonly jsonOutput: boolean;
  readonly jsonFile: string | undefined;
  readonly flushMs: number | undefined;
  readonly json: boolean;
  readonly detach?: boolean;
  readonly summary?: boolean;
}

export function wantsEvents({ jsonOutput, jsonFile }: Pick<Flags, 'jsonOutput' | 'jsonFile'>): boolean {
  return jsonOutput || jsonFile !== undefined;
}

/** Checks the flags: only events may be written to stderr. */
export function checkJsonOutput(flags: Flags, verb: 'run' | 'attach'): void {
  const { jsonFile, flushMs, detach = false, summary = false, json } = flags;
  if (!wantsEvents(flags)) {
    if (flushMs !== undefined) throw new UsageError('--flush-ms requires --json-output or --json-file', verb);
    return;
  }
  if (jsonFile === '') throw new UsageError('--json-file is empty: is a variable unset?', verb);
  if (jsonFile !== undefined) return closeSync(openSync(jsonFile, 'a', 0o600)); // fails before anything is started
  if (json) throw new UsageError('--json-output cannot be combined with --json; use --json-file FILE', verb);
  if (summary) throw new UsageError('--json-output cannot be combined with --summary; use --json-file FILE', verb);
  if (detach)
    throw new UsageError(
      '--json-output with --detach needs --json-file FILE, which is written in the background',
      verb,
    );
  if (isTerminal(1) && isTerminal(2) && fstatSync(1).rdev === fstatSync(2).rdev) {
    const how = `use --json-file FILE, or redirect it, as in: spool ${verb} --json-output … 2> events.ndjson`;
    throw new UsageError(`--json-output writes to stderr, which is this terminal; ${how}`, verb);
  }
}

/** A size beyond that of any log. */
const EVERYTHING = '1000000G';

/**
 * Starts another `spool` that writes the events until the session ends. It outlives this process and the processes of the daemon.
 */
export function writeInBackground(id: string, file: string, flushMs: number | undefined): void {
  const fd = openSync(file, 'a', 0o600);
  const flush = flushMs === undefined ? [] : ['--flush-ms', String(flushMs)];
  const args = ['attach', '--read-only', '--raw', '--quiet', '--json-output', '--tail', EVERYTHING, ...flush, id];
  spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', fd],
  }).unref();
  closeSync(fd);
}
