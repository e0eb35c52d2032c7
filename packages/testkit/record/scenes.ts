/** The scenes of a recording, each of which begins and ends with an agent that waits at its prompt. */
import type { RecordedAgentRun } from './agent-run.ts';

export type Scene = (run: RecordedAgentRun) => Promise<void>;

/** The answer to a dialog: the n-th way of the program to say yes or no. */
export interface DialogAnswer {
  readonly says: 'yes' | 'no';
  readonly way: number;
}

/** The time without changes after a start, which happens in steps, with pauses. */
const STARTED_STILL_MS = 1500;
const STARTED_MS_MAX = 240_000;
/** Words of a program that is ready, if a status bar or another mode hides the usual ones. */
const READY = /\? for shortcuts|ctrl\+p |manual mode on|Shift\+Tab:mode/;

const DRAFT = [
  'Please look at this first:',
  'Do you want to proceed?',
  '  1. Yes',
  '  2. No (esc to cancel)',
  'and tell me what the seventh line of it means,',
  'because (3s • esc to interrupt) is all that I see.',
].join('\n');

export const startup: Scene = async (run) => {
  await ready(run);
  await run.rest('startup', STARTED_STILL_MS);
};

/** A session with two turns ends, and is resumed in a new run of the program. */
export const resumed: Scene = async (run) => {
  await ready(run);
  await run.pause(STARTED_STILL_MS);
  for (const words of ['how it began', 'what came next']) {
    await run.send(`please say ${words}`, { isMarked: false });
    await run.until('it has answered', () => run.open === 0);
    await run.until('it rests', () => run.terminal.stillMs > STARTED_STILL_MS);
  }
  await run.resume();
  await ready(run);
  await run.rest('resumed', STARTED_STILL_MS);
};

export const say =
  (words: string): Scene =>
  async (run) => {
    await run.send(`please say ${words}`);
    await run.until('it has answered', () => run.open === 0);
    await run
      .until(
        'the answer is drawn',
        () => squeezed(run).includes(`SAY${words.toUpperCase().replaceAll(' ', '')}.`),
        DRAWN_MS_MAX,
      )
      .catch(() => {});
    await run.rest('after-answer');
  };

/** A draft of several lines, in which the cursor moves; then it is cleared. */
export const pasted =
  (text: string): Scene =>
  async (run) => {
    run.terminal.paste(text);
    await run.pause(900);
    run.mark('draft-pasted', 'idle');
    await run.keys(['Up', 'Up']);
    await run.pause(700);
    run.mark('draft-cursor-up', 'idle');
    await run.terminal.type(' and more of it', 25);
    await run.pause(700);
    run.mark('draft-grown', 'idle');
    await cleared(run);
    await run.rest('draft-cleared');
  };

export const draft = pasted(DRAFT);

/** A long line that wraps, typed and cleared. */
export const typed =
  (text: string): Scene =>
  async (run) => {
    await run.terminal.type(text, 8);
    await run.pause(800);
    run.mark('long-line', 'idle');
    await cleared(run);
    await run.rest('long-line-cleared');
  };

export const longLine = typed(
  'this is one long line that goes on and on, far beyond the width of a small terminal, and asks nothing',
);

/** The model begins, and is then silent. Meanwhile a draft is typed. */
export const hold =
  (file: string, { drafts = false } = {}): Scene =>
  async (run) => {
    await run.send(`please hold ${file}`);
    await run.works('held', () => run.open > 0, 3);
    if (drafts) {
      await run.terminal.type('meanwhile I write', 25);
      await run.works('draft-in-work', () => run.open > 0, 2);
    }
    run.make(file);
    await run.until('it has answered', () => run.open === 0 && squeezed(run).includes(`HELDFOR${file.toUpperCase()}`));
    await run.rest('after-hold');
    if (!drafts) return;
    await cleared(run);
    await run.rest('draft-after-hold-cleared');
  };

export const stream =
  (seconds: number): Scene =>
  async (run) => {
    await run.send(`please stream ${seconds}`);
    await run.works('streaming', () => run.open > 0, Math.floor(seconds));
    await run.until('it has answered', () => run.open === 0 && run.text.includes('ALL SAID'));
    await run.rest('after-stream');
  };

/** An answer that is longer than the screen. */
export const list: Scene = async (run) => {
  await run.send('please list 60');
  await run.until('it has answered', () => run.open === 0);
  await run.until('the answer is drawn', () => squeezed(run).includes('Row60of60'), DRAWN_MS_MAX).catch(() => {});
  await run.rest('after-list');
};

/** The model thinks for a while, and sends only thoughts. */
export const ponder =
  (seconds: number): Scene =>
  async (run) => {
    await run.send(`please ponder ${seconds}`);
    await run.works('pondering', () => run.open > 0, seconds - 1);
    await run.until('it has answered', () => run.open === 0 && squeezed(run).includes(`PLEASEPONDER${seconds}.`));
    await run.rest('after-pondering');
  };

/** The model sends one word after the other. */
export const count =
  (words: number): Scene =>
  async (run) => {
    await run.send(`please count ${words}`);
    await run.works('counting', () => run.open > 0, Math.floor(words / 10) - 1);
    await run.until('it has answered', () => run.open === 0 && squeezed(run).includes(`tick${words - 1}`));
    await run.rest('after-count');
  };

/** Older prompts are recalled with Up, one is changed, and all is cleared. */
export const recalled =
  (more: string): Scene =>
  async (run) => {
    for (const times of [1, 2]) {
      await run.keys(['Up']);
      await run.pause(700);
      run.mark(`recalled-${times}`, 'idle');
    }
    await run.terminal.type(more, 30);
    await run.pause(700);
    run.mark('recalled-changed', 'idle');
    await cleared(run);
    await run.rest('recalled-cleared');
  };

/** A file is named in a draft, with the list of files that appears. */
export const mention =
  (before: string): Scene =>
  async (run) => {
    await run.terminal.type(`${before} @no`, 30);
    await run.pause(1300);
    run.mark('mention', 'idle');
    await run.keys(['Tab']);
    await run.pause(900);
    run.mark('mentioned', 'idle');
    await cleared(run);
    await run.rest('mention-cleared');
  };

/** A second prompt is sent while the first is answered. Codex then leaves the first: its open request has no reader. */
export const queued =
  (file: string, words: string): Scene =>
  async (run) => {
    await run.send(`please hold ${file}`);
    const asked = run.count('asked');
    await run.works('held', () => run.open > 0, 1);
    await run.terminal.type(`please say ${words}`, 20);
    await run.pause(300);
    run.terminal.key('Enter');
    await run.works('queued', () => run.open > 0 && run.count('asked') === asked, 2);
    run.make(file);
    const said = `SAY${words.toUpperCase().replaceAll(' ', '')}.`;
    const isAnswered = (): boolean => run.open === 0 && squeezed(run).includes(said);
    await run.until('both are answered', isAnswered, QUEUED_MS_MAX).catch(() => {});
    await run.rest('after-queued');
  };

/** The user stops an answer right after the prompt. */
export const regretted =
  (file: string): Scene =>
  async (run) => {
    await run.send(`please hold ${file}`);
    await run.pause(600);
    await run.keys(run.program.interrupt, 250);
    await run.pause(1500);
    run.make(file);
    await run.until('nothing is open', () => run.open === 0);
    if (squeezed(run).includes(`HELDFOR${file.toUpperCase()}`)) throw new Error('the answer was not stopped');
    await run.rest('regretted');
    await cleared(run);
    await run.rest('regretted-cleared');
  };

/** Enter in an empty box, and blanks, which send nothing. */
export const nothing: Scene = async (run) => {
  await run.keys(['Enter'], 900);
  run.mark('entered-nothing', 'idle');
  await run.terminal.type('   ', 60);
  await run.pause(900);
  run.mark('typed-blanks', 'idle');
  await cleared(run);
  await run.rest('blanks-cleared');
};

/** The model thinks aloud before it answers. */
export const think: Scene = async (run) => {
  await run.send('please think about it');
  await run.until('it has answered', () => run.open === 0);
  await run.until('the answer is drawn', () => squeezed(run).includes('THINKABOUTIT.'), DRAWN_MS_MAX).catch(() => {});
  await run.rest('after-thought');
};

export const quote: Scene = async (run) => {
  await run.send('please quote');
  await run.until('it has answered', () => run.open === 0 && squeezed(run).includes('QUOTESENDHERE'));
  await run.rest('after-quote');
};

/** A job that needs permission; `waits`: the user is away for a while. */
export const job =
  (
    name: string,
    seconds: number,
    answer: DialogAnswer,
    { resize, waits = false, tail = '' }: { resize?: readonly [number, number]; waits?: boolean; tail?: string } = {},
  ): Scene =>
  async (run) => {
    const command = `./job.sh ${name} ${seconds}`;
    await run.send(`please run ${command}${tail}`);
    if (waits) {
      await run.dialog(`dialog-${name}-first`, run.program.asks.command, command);
      await run.pause(WAITS_MS);
    }
    await asked(run, `dialog-${name}`, command, answer, resize);
    if (answer.says === 'no') return run.rest(`${name}-denied`);
    await runs(run, name, seconds);
    await answered(run, name);
    await run.rest(`after-${name}`);
  };

/** Two jobs: at once, or one after the other. */
export const jobs =
  (first: string, second: string, isAtOnce: boolean, answer: DialogAnswer): Scene =>
  async (run) => {
    await run.send(`please run ./job.sh ${first} 2${isAtOnce ? ' ;; ' : ' >> '}./job.sh ${second} 2`);
    const left = new Set([first, second]);
    while (left.size > 0) {
      await run.until(
        'a job is asked for or done',
        () => run.isAsking || [...left].every((name) => run.has(`${name}.done`)),
      );
      if (!run.isAsking) break;
      // The program decides which of the two it asks for first.
      await run.until('it is known which', () => subjects(run, left).length === 1, ANSWERED_MS_MAX);
      const name = subjects(run, left)[0]!;
      await asked(run, `dialog-${name}`, `job.sh ${name} 2`, answer, undefined, undefined, false);
      left.delete(name);
      await run.until(
        'it goes on',
        () => !run.isAsking || subjects(run, new Set([name])).length === 0,
        ANSWERED_MS_MAX,
      );
      if (run.has(`${name}.started`)) await run.works(`job-${name}`, () => !run.has(`${name}.done`), 1);
    }
    await run.until('both are done', () => run.has(`${first}.done`) && run.has(`${second}.done`));
    await answered(run, second);
    await run.rest(`after-${first}-${second}`);
  };

/** A file that needs permission to be written. */
export const write =
  (file: string, answer: DialogAnswer): Scene =>
  async (run) => {
    await run.send(`please write ${file}`);
    await run.until('the file is asked for', () => run.isAsking || run.count('answered') > 0);
    await asked(run, `dialog-${file}`, file, answer, undefined, run.program.asks.write(file));
    if (answer.says === 'no') return run.rest(`${file}-denied`);
    await answered(run, '');
    await run.rest(`after-${file}`);
  };

/** The user stops an answer that is held, or a job. */
export const interruptAnswer =
  (file: string): Scene =>
  async (run) => {
    await run.send(`please hold ${file}`);
    await run.works('to-be-stopped', () => run.open > 0, 2);
    await run.keys(run.program.interrupt, 250);
    await run.pause(1500);
    run.make(file); // Codex does not hang up: the answer from now on has no reader
    await run.until('nothing is open', () => run.open === 0);
    if (squeezed(run).includes(`HELDFOR${file.toUpperCase()}`)) throw new Error('the answer was not stopped');
    await run.rest('answer-stopped');
    await cleared(run);
    await run.rest('stopped-cleared');
  };

export const interruptJob =
  (name: string, answer: DialogAnswer): Scene =>
  async (run) => {
    await run.send(`please run ./job.sh ${name} 60`);
    await asked(run, `dialog-${name}`, `./job.sh ${name} 60`, answer);
    await run.until('the job runs', () => run.has(`${name}.started`));
    await run.works(`job-${name}`, () => true, 3);
    await run.keys(run.program.interrupt, 250);
    await run.until('nothing is open', () => run.open === 0);
    await run.rest('job-stopped');
    await cleared(run);
    await run.rest('job-stopped-cleared');
  };

/** The model refuses; the program does not try again. */
export const refusedWith =
  (status: number): Scene =>
  async (run) => {
    const failed = run.count('failed');
    await run.send(`please refuse ${status}`);
    await run.until('it has failed', () => run.count('failed') > failed);
    await run
      .until('the error is drawn', () => squeezed(run).includes('scriptedfailure'), DRAWN_MS_MAX)
      .catch(() => {});
    await run.rest('after-error');
  };

export const refused = refusedWith(400);

/** The model fails once, and the program tries again by itself: until then it works. */
export const retried: Scene = async (run) => {
  const [asked, answers] = [run.count('asked'), run.count('answered')];
  await run.send('please fail 529', { isMarked: false });
  await run.until('it tries again', () => run.count('asked') > asked + 1);
  await run.until('it is answered', () => run.count('answered') > answers && run.open === 0);
  await run.until(
    'the answer is drawn',
    () => squeezed(run).includes('AFTERAFAILURE') || squeezed(run).includes('afterafailure'),
  );
  await run.rest('after-retry');
};

export const slashMenu: Scene = async (run) => {
  await run.terminal.type('/');
  await run.pause(1200);
  run.mark('slash-menu', 'idle');
  await run.terminal.type('mo', 120);
  await run.pause(1200);
  run.mark('slash-menu-filtered', 'idle');
  for (let left = 0; left < 4; left++) await run.keys(['Backspace'], 150);
  await run.rest('slash-menu-gone');
};

export const resized =
  (cols: number, rows: number): Scene =>
  async (run) => {
    run.terminal.resize(cols, rows);
    await run.pause(900);
    await run.rest('resized');
  };

/** The terminal is resized in the middle of an answer. */
export const resizedInWork =
  (file: string, cols: number, rows: number): Scene =>
  async (run) => {
    await run.send(`please hold ${file}`);
    await run.works('before-resize', () => run.open > 0, 1);
    run.terminal.resize(cols, rows);
    await run.works('after-resize', () => run.open > 0, 2);
    run.make(file);
    await run.until('it has answered', () => run.open === 0 && squeezed(run).includes(`HELDFOR${file.toUpperCase()}`));
    await run.rest('after-resized-hold');
  };

/** A pause without any event. */
export const quiet: Scene = async (run) => {
  await run.pause(4000);
  run.mark('quiet', 'idle');
};

async function ready(run: RecordedAgentRun): Promise<void> {
  await run.until(
    'it takes a prompt',
    () => run.text.includes(run.agent.ready) || READY.test(run.text),
    STARTED_MS_MAX,
  );
}

async function asked(
  run: RecordedAgentRun,
  label: string,
  subject: string,
  { says, way }: DialogAnswer,
  resize?: readonly [number, number],
  question: string | null = run.program.asks.command,
  isLast = true,
): Promise<void> {
  await run.dialog(label, question, subject);
  if (resize) {
    run.terminal.resize(...resize);
    await run.pause(900);
    await run.dialog(`${label}-resized`, question, subject);
  }
  const ways = run.program[says];
  await run.keys(ways[way % ways.length]!);
  if (isLast) await run.until(`${label} is answered`, () => !run.isAsking, ANSWERED_MS_MAX);
}

async function runs(run: RecordedAgentRun, name: string, seconds: number): Promise<void> {
  await run.until(`job ${name} runs`, () => run.has(`${name}.started`));
  await run.works(`job-${name}`, () => !run.has(`${name}.done`), seconds - 1);
  await run.until(`job ${name} is done`, () => run.has(`${name}.done`));
}

/**
 * Waits for the model's answer after a tool, which repeats its output in capitals. The answer is awaited on the screen, unless
 * that is too small.
 */
async function answered(run: RecordedAgentRun, job: string): Promise<void> {
  const isAnswered = (): boolean => {
    const last = run.facts.at(-1);
    return run.open === 0 && last?.fact === 'answered' && last.calls === 0;
  };
  await run.until('the last answer has come', isAnswered);
  const said = job === '' ? 'Thetoolsaid' : `${job.toUpperCase()}ISDONE`;
  await run.until('the last answer is drawn', () => squeezed(run).includes(said), DRAWN_MS_MAX).catch(() => {});
}

async function cleared(run: RecordedAgentRun): Promise<void> {
  for (let row = 0; row < 12; row++) await run.keys(run.program.clear, 25);
  await run.pause(300);
}

/** Returns the jobs that the lowest dialog names. */
function subjects(run: RecordedAgentRun, names: ReadonlySet<string>): readonly string[] {
  const dialog = run.text.slice(Math.max(0, run.text.lastIndexOf(run.program.begins)));
  return [...names].filter((name) => dialog.includes(`job.sh ${name}`));
}

/** The time for drawing: text that is not drawn by then does not fit on the screen. */
const DRAWN_MS_MAX = 5000;
const ANSWERED_MS_MAX = 15_000;
const WAITS_MS = 5000;
const QUEUED_MS_MAX = 20_000;

/** Returns the screen without frames, and without the times that Grok writes at the right edge, in the middle of wrapped text. */
const squeezed = (run: RecordedAgentRun): string =>
  run.text.replaceAll(/ +\d+:\d\d [AP]M *$/gm, '').replaceAll(/[\s│┃█]+/g, '');
