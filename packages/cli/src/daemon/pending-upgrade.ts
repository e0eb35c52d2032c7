/**
 * Mentions once a day that the daemon runs an older version than this command line: one line on stderr after the output, only for a
 * user who types at a shell. Keeps LIFE-46.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homeFrom, isOlder, VERSION } from '@spool/protocol';
import { ownCommand } from '../output/own-command.ts';
import { isTerminal, notice } from '../output/stdio.ts';

const EVERY_MS = 24 * 3600 * 1000;

/** The verbs about the daemon itself, which report more about it. */
const ABOUT_DAEMON: ReadonlySet<string> = new Set(['daemon', 'doctor', 'service', 'install', 'uninstall']);

export function mentionUpgrade(daemonVersion: string): void {
  if (!isOlder(daemonVersion, VERSION) || !isTypedByUser(process.argv.slice(2)) || !isDue()) return;
  const command = ownCommand(['daemon', 'upgrade']);
  process.once('exit', () =>
    notice(`The daemon runs version ${daemonVersion}, this is ${VERSION}: ${command} replaces it; sessions continue.`),
  );
}

/**
 * Returns whether a user has typed this command and reads its output. A shell gives each command that a user types its own process
 * group; the commands of a script are in the group of the script.
 */
function isTypedByUser(words: readonly string[]): boolean {
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  if (own.some((word) => /^(--json.*|--quiet|-q)$/.test(word)) || ABOUT_DAEMON.has(own[0] ?? '')) return false;
  return isTerminal(1) && isTerminal(2) && !process.env['CI'] && processGroup() === process.pid;
}

function processGroup(): number {
  // PID (NAME) STATE PPID PGRP: the name may contain anything.
  return Number(/.*\) \S \d+ (\d+)/s.exec(readFileSync('/proc/self/stat', 'latin1'))?.[1]);
}

/**
 * Returns whether the last mention was at least a day ago, and notes this one. If the note cannot be stored, there is no mention.
 */
function isDue(): boolean {
  const { state } = homeFrom(process.env, process.getuid?.() ?? 0);
  const note = `${state}/upgrade-mentioned`;
  try {
    const ageMs = Date.now() - (statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (ageMs >= 0 && ageMs < EVERY_MS) return false;
    writeFileSync(note, '', { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
