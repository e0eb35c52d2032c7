/**
 * The facts about each program that the script needs: its start so that it asks for permission, the words of its dialogs, and the
 * keys that answer them. The words are those of the programs themselves, by which the script waits until a dialog is drawn; none
 * of them comes from the rules that are measured.
 */

export interface RecordedProgram {
  readonly arguments: readonly string[];
  /** Its settings, merged into those that the tests use. */
  readonly settings?: Readonly<Record<string, (before: string) => string>>;
  /** A text that is on the screen exactly while a dialog for a command or a file is visible. */
  readonly dialog: RegExp;
  /** The beginning of a dialog for a command: above it there may be other commands. */
  readonly begins: string;
  /** A text that is on the screen while the program shows work. */
  readonly works: RegExp;
  /** Its question; `null` if only the subject is compared. */
  readonly asks: { readonly command: string | null; write(file: string): string | null };
  /** The keys for yes and no, in several ways; `@No` is the number in front of the first option with that name. */
  readonly yes: readonly (readonly string[])[];
  readonly no: readonly (readonly string[])[];
  /** The keys that stop the turn. */
  readonly interrupt: readonly string[];
  /** The keys that clear a draft of several lines. */
  readonly clear: readonly string[];
}

const CLEAR = ['C-e', 'C-u', 'Backspace'];

export const PROGRAMS: Readonly<Record<string, RecordedProgram>> = {
  claude: {
    arguments: ['--permission-mode', 'manual'],
    dialog: /Do you want to[^]*\d\. No/,
    begins: 'Bash command',
    works: /esc to interrupt|^[·✢✳✶✻✽] \S+…/m,
    asks: { command: 'Do you want to proceed?', write: (file) => `Do you want to create ${file}?` },
    yes: [['1'], ['Enter'], ['Down', 'Up', 'Enter']],
    no: [['Escape'], ['@No'], ['Up', 'Enter']],
    interrupt: ['Escape'],
    clear: CLEAR,
  },
  codex: {
    arguments: ['-a', 'on-request', '-s', 'read-only'],
    dialog: /Would you like to[^]*› \d\. /,
    begins: 'Would you like',
    works: /esc to interrupt/,
    asks: {
      command: 'Would you like to run the following command?',
      write: () => 'Would you like to make the following edits?',
    },
    yes: [['y'], ['Enter'], ['Down', 'Up', 'Enter']],
    no: [['Escape'], ['Up', 'Enter'], ['Escape']],
    interrupt: ['Escape'],
    clear: CLEAR,
  },
  gemini: {
    arguments: [],
    dialog: /● *1\. (?:Allow|Yes)|\d\. No, suggest/,
    begins: '? Shell',
    works: /esc to cancel/,
    asks: { command: null, write: () => 'Apply this change?' },
    yes: [['Enter'], ['1'], ['Down', 'Up', 'Enter']],
    no: [['Escape'], ['Up', 'Enter'], ['Escape']],
    interrupt: ['Escape'],
    clear: CLEAR,
  },
  grok: {
    arguments: [],
    dialog: /\d \([●○]\) (?:Yes|No)/,
    begins: '┃  Run a command',
    works: /\[stop\]|Ctrl\+c:cancel/,
    asks: { command: null, write: () => null },
    yes: [['@Yes(?:, proceed)?$'], ['Down', 'Down', 'Enter'], ['@Yes(?:, proceed)?$']],
    no: [['@No, reject'], ['C-c'], ['@No, reject']],
    interrupt: ['C-c'],
    clear: CLEAR,
  },
  opencode: {
    arguments: [],
    settings: {
      '.config/opencode/opencode.json': (before) =>
        JSON.stringify({ ...JSON.parse(before), permission: { bash: 'ask', edit: 'ask' } }),
    },
    dialog: /Allow once/,
    begins: '△',
    works: /esc interrupt|[■⬝]{4}/,
    asks: { command: 'Permission required', write: () => 'Permission required' },
    yes: [['Enter'], ['Right', 'Left', 'Enter'], ['Enter']],
    no: [['Escape'], ['Right', 'Right', 'Enter'], ['Left', 'Enter']],
    interrupt: ['Escape', 'Escape'],
    clear: CLEAR,
  },
};
