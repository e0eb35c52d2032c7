/**
 * The systemd user unit of the daemon. Keeps INST-2.
 *
 * - The unit is a `oneshot` that remains: its command starts the daemon, or finds it running, and exits. So systemd has no main
 *   process to signal, and `KillMode=process` leaves all others alone: neither a stop nor a restart of the unit ends a session.
 * - `Delegate=yes`: the daemon may create a control group for each session below its own.
 * - `OOMPolicy=continue`: if the kernel kills a session for its memory, the others continue.
 */

export const UNIT = 'spool.service';

/** The first line, which shows that the file is ours. */
const MARK = '# Written by `spool service install`; `spool service remove` deletes it.';

export function isOurUnit(text: string): boolean {
  return text.startsWith(MARK);
}

/** Returns the text of the unit. `command`: the program and its first arguments; absolute paths, because systemd has its own PATH. */
export function unitText(command: readonly string[]): string {
  return `${MARK}
[Unit]
Description=Spool: terminal sessions and agents that keep running

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${[...command, 'daemon', 'start'].map(quoted).join(' ')}
KillMode=process
Delegate=yes
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=default.target
`;
}

/** Quotes a word for systemd, with its own escapes for quotes, specifiers and variables. */
function quoted(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
