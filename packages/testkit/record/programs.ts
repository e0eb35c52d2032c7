/**
 * What the script has to know of each program: how it is started so that it asks for permission, what its dialogs are called, and
 * which keys answer them. Words of the programs themselves, by which the script waits until a dialog is drawn; none of it comes
 * from the rules that are measured.
 */

export interface RecordedProgram {
  readonly arguments: readonly string[];
  /** Its settings, merged into those that the tests use. */
  readonly settings?: Readonly<Record<string, (before: string) => string>>;
  /** On the screen while a dialog for a command or a file is up, and only then. */
  readonly dialog: RegExp;
  /** What a dialog for a command begins with: above it there may be other commands. */
  readonly begins: string;
  /** On the screen while it shows that it works. */
  readonly works: RegExp;
  /** What it asks; `null` where only the subject is compared. */
  readonly asks: { readonly command: string | null; write(file: string): string | null };
  /** Ways to say yes and no, as keys; `@No` is the number in front of the first option that is called so. */
  readonly yes: readonly (readonly string[])[];
  readonly no: readonly (readonly string[])[];
  /** Stops the turn. */
  readonly interrupt: readonly string[];
  /** Clears a draft of several lines. */
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
