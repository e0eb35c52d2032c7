/** Tests the mouse and the clipboard in real programs, before leaving and after coming back at another size. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SPOOL, TestDaemon } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { afterAll, expect } from 'vitest';
import type { Picture } from './support/reference-terminal.ts';
import { TerminalUser, WHEEL_DOWN, WHEEL_UP } from './support/terminal-user.ts';

const FIRST = { cols: 80, rows: 24 };
const SECOND = { cols: 100, rows: 30 };

const folder = mkdtempSync(`${tmpdir()}/spool-test-mouse-`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a session of this command for a user who has just typed `spool run`. */
function run(daemon: TestDaemon, command: readonly string[], env: Record<string, string> = {}): TerminalUser {
  const variables = Object.entries({ LANG: 'C.UTF-8', HOME: folder, ...env });
  const flags = variables.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  return new TerminalUser([SPOOL, 'run', '--name', 'it', ...flags, '--', ...command], daemon, FIRST);
}

/** Attaches a user again, from a terminal of another size. */
async function comeBack(daemon: TestDaemon, first: TerminalUser): Promise<TerminalUser> {
  first.typesCtrl('\\');
  await first.isBackInTheShell(0);
  return new TerminalUser([SPOOL, 'attach', 'it'], daemon, SECOND);
}

/** Returns a check of the position; column and row are counted from 1, as for the mouse. */
const isAt =
  (column: number, row: number) =>
  ({ cursor }: Picture): boolean =>
    cursor[0] === column - 1 && cursor[1] === row - 1;

async function clickOn(person: TerminalUser, text: string): Promise<void> {
  const { lines } = await person.look();
  const row = lines.findIndex((line) => line.includes(text));
  person.clicks(lines[row]!.indexOf(text) + 2, row + 1);
}

testNeeding(missingProgram('vim'))('[ATT-4] vim: a click moves the cursor, and a paste is not indented', async () => {
  const file = `${folder}/vim-text`;
  writeFileSync(file, Array.from({ length: 40 }, (_, at) => `line ${at + 1} of a text\n`).join(''));
  await using daemon = new TestDaemon();
  const vim = ['vim', '-u', 'NONE', '-N', '-i', 'NONE', '-c', 'set mouse=a autoindent', file];
  using first = run(daemon, vim);
  await first.sees('line 20 of a text');
  first.clicks(9, 5);
  await first.seesThat('the cursor is at the 9th character of the 5th line', isAt(9, 5));
  first.types('o\t');
  await first.sees('-- INSERT --');
  await first.pastes('{\r    one\r    two');
  await first.sees('    two');
  await first.pressesEscape();

  using second = await comeBack(daemon, first);
  await second.sees('line 25 of a text');
  second.clicks(3, 20);
  await second.seesThat('the cursor is at the 3rd character of the 20th line', isAt(3, 20));
  second.types('o\t');
  await second.sees('-- INSERT --');
  await second.pastes('[\r    three\r    four');
  await second.sees('    four');
  await second.pressesEscape();
  second.types(':wq\r');
  await second.isBackInTheShell(0);

  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.slice(4, 9)).toEqual(['line 5 of a text', '\t{', '    one', '    two', 'line 6 of a text']);
  expect(lines.slice(19, 24)).toEqual(['line 17 of a text', '\t[', '    three', '    four', 'line 18 of a text']);
});

testNeeding(missingProgram('htop'))('[ATT-4] htop: columns and the bar at the bottom are clicked', async () => {
  await using daemon = new TestDaemon();
  using first = run(daemon, ['htop', '-d', '250']);
  await first.sees('F10');
  await clickOn(first, 'MEM%');
  await first.sees('MEM%▽');
  await clickOn(first, 'Help');
  await first.sees('Released under the GNU');
  first.types(' ');

  using second = await comeBack(daemon, first);
  await second.sees('F10');
  await clickOn(second, 'CPU%');
  await second.sees('CPU%▽');
  await clickOn(second, 'Quit');
  await second.isBackInTheShell(0);
});

testNeeding(missingProgram('less'))('[ATT-4] less: the wheel turns the pages', async () => {
  const file = `${folder}/less-text`;
  writeFileSync(file, Array.from({ length: 200 }, (_, at) => `line ${at + 1} of a text\n`).join(''));
  await using daemon = new TestDaemon();
  using first = run(daemon, ['less', '--mouse', file]);
  await first.sees('line 10 of a text');
  await first.turnsTheWheelUntil('line 70 of a text', WHEEL_DOWN);

  using second = await comeBack(daemon, first);
  await second.sees('line 70 of a text');
  await second.turnsTheWheelUntil('line 5 of a text', WHEEL_UP);
  second.types('q');
  await second.isBackInTheShell(0);
});

testNeeding(missingProgram('tmux'))('[ATT-4] tmux: a click chooses the pane, and a paste goes there', async () => {
  await using daemon = new TestDaemon();
  const panes = ['set', '-g', 'mouse', 'on', ';', 'split-window', '-h', "PS1='right$ ' exec bash --norc"];
  const tmux = ['tmux', '-S', `${folder}/tmux`, '-f', '/dev/null', 'new-session'];
  using first = run(daemon, [...tmux, "PS1='left$ ' exec bash --norc", ';', ...panes]);
  await first.sees('right$');
  await first.seesThat('the right pane has the cursor', ({ cursor }) => cursor[0] > 40);
  first.clicks(5, 10);
  await first.seesThat('the left pane has the cursor', ({ cursor }) => cursor[0] < 40);
  await pasteWaits(first, 'one');

  using second = await comeBack(daemon, first);
  await second.sees('ran two-one');
  second.clicks(70, 10);
  await second.seesThat('the right pane has the cursor', ({ cursor }) => cursor[0] > 50);
  second.types('tmux kill-session\r');
  await second.isBackInTheShell(0);
});

/** The shells; without its configuration fish would not request brackets. */
const SHELLS = {
  bash: ['bash', '--norc'],
  fish: ['fish', '-C', 'function fish_prompt; echo "ready> "; end'],
} as const;

for (const [name, command] of Object.entries(SHELLS)) {
  testNeeding(missingProgram(name))(`[ATT-4] ${name}: pasted lines do not run until Enter is pressed`, async () => {
    await using daemon = new TestDaemon();
    using first = run(daemon, command, { PS1: 'ready> ' });
    await first.sees('ready>');
    await pasteWaits(first, 'one');
    using second = await comeBack(daemon, first);
    await second.sees('ran two-one');
    await pasteWaits(second, 'two');
    second.types('exit\r');
    await second.isBackInTheShell(0);
  });
}

/** Pastes two commands whose output is not contained in the pasted text. */
async function pasteWaits(person: TerminalUser, word: string): Promise<void> {
  await person.pastes(`printf 'r%s one-${word}\\n' an\rprintf 'r%s two-${word}\\n' an`);
  person.types(' seen');
  await person.sees('seen'); // keys are read in order: all immediate effects of the paste have happened
  expect((await person.look()).lines.join('\n')).not.toContain(`ran one-${word}`);
  person.types('\x7f'.repeat(5));
  await person.pressesEnter();
  await person.sees(`ran one-${word}`, `ran two-${word}`);
}
