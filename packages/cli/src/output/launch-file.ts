/**
 * Opens a browser at an address that holds a secret. Arguments are visible to every user of the machine, so the browser is given the
 * path of a file that only its owner can read, and that leads to the address. The file is removed after half a minute.
 * Keeps DOOR-28.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The lifetime of the file: a browser that must start first takes a while to read it. */
const FILE_SECONDS = 30;

/** Removes the file after a while, from a process that outlives us. Its arguments are a time and a path. */
const REMOVE = 'sleep "$1"; rm -f -- "$2"; rmdir -- "$3"';

/** Opens the address in a browser, if there is a screen, and room for a file; the caller prints the address anyway. */
export function openBrowser(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (!DISPLAY && !WAYLAND_DISPLAY) return;
  try {
    const folder = mkdtempSync(join(ownRuntimeFolder() ?? tmpdir(), 'spool-launch-')); // 0700
    const file = join(folder, `${randomBytes(8).toString('hex')}.html`);
    writeFileSync(file, redirectTo(url), { mode: 0o600, flag: 'wx' });
    start('sh', ['-c', REMOVE, 'sh', String(FILE_SECONDS), file, folder]);
    start('xdg-open', [pathToFileURL(file).href]);
  } catch {
    // A full disk, or a folder that cannot be written: the user opens the link.
  }
}

/** Returns the runtime folder; null if there is none, or it belongs to another user (`sudo -E`). */
function ownRuntimeFolder(): string | null {
  const { XDG_RUNTIME_DIR: folder } = process.env;
  const found = folder ? statSync(folder, { throwIfNoEntry: false }) : undefined;
  return folder && found?.isDirectory() && found.uid === process.getuid?.() ? folder : null;
}

/** Returns a page that leads to the address. It has no script, and sends nothing over the network. */
export function redirectTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Spool</title>
<p><a href="${address}">Open Spool</a></p>
`;
}

function start(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // no xdg-open: the user opens the link
  child.unref();
}
