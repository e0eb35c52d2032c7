/** Tests how a question is answered, with a scripted session: each key changes its screen. */
import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import type { AskedQuestion, ScreenReport } from '../screens/messages.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { answerQuestion } from './answering.ts';

const QUESTION = { text: 'Do you want to proceed?', subject: 'rm -r dist' };

/** Returns a menu with a selection, as it is read from the screen: with the keys that are needed from the selected option. */
function menu(selected: number, labels = ['Yes', 'No', 'Never']): AskedQuestion {
  const options = labels.map((label, at) => {
    const move = at > selected ? 'Down' : 'Up';
    const names = [...Array.from({ length: Math.abs(at - selected) }, () => move), 'Enter'];
    return { label, keys: names.map(key) };
  });
  return { ...QUESTION, options };
}

const key = (name: string): { name: string; bytes: Uint8Array } => ({ name, bytes: Buffer.from(`<${name}>`) });

interface Moment {
  readonly asks?: string | null;
  readonly question?: AskedQuestion | null;
  /** The screen after a key was pressed. */
  readonly then?: Moment;
}

function scripted(first: Moment, { readsByLine = false } = {}): { session: KeeperSession; typed: string[] } {
  const typed: string[] = [];
  let now = first;
  let offset = 100;
  const asks = (): string | null => (now.asks === undefined ? QUESTION.text : now.asks);
  const session = {
    name: 'fake',
    isRunning: true,
    file: { trouble: null },
    info: { offset },
    log: { end: offset },
    isSeenTo: () => true,
    look: () =>
      Promise.resolve({
        offset,
        isExact: true,
        isUnsettled: false,
        asks: asks(),
        question: now.question ?? null,
      } as ScreenReport),
    nextLook: () => new Promise<void>((resolve) => setTimeout(resolve, 5)),
    get status() {
      return { state: asks() === null ? 'working' : 'blocked', question: now.question ?? undefined };
    },
    input: {
      readsByLine,
      write(bytes: Uint8Array) {
        typed.push(Buffer.from(bytes).toString());
        offset++;
        if (now.then) now = now.then;
        return Promise.resolve();
      },
    },
  };
  return { session: session as unknown as KeeperSession, typed };
}

const GONE: Moment = { asks: null };
const answer = (session: KeeperSession, option: string): Promise<{ isConfirmed: boolean }> =>
  answerQuestion(session, { session: 'fake', question: QUESTION, option, confirmMs: 50 }, 'test');

test('[ASK-1] a key that chooses by itself is pressed, and the question must be gone', async () => {
  const question = { ...QUESTION, options: [{ label: 'Yes', keys: [key('1')] }] };
  const { session, typed } = scripted({ question, then: GONE });
  expect([await answer(session, 'Yes'), typed]).toMatchObject([{ isConfirmed: true }, ['<1>']]);
  const stuck = scripted({ question });
  expect([await answer(stuck.session, 'Yes'), stuck.typed]).toMatchObject([{ isConfirmed: false }, ['<1>']]);
});

test('[ASK-1] in a menu, Enter is pressed only when the screen shows that the answer is selected', async () => {
  const { session, typed } = scripted({
    question: menu(0),
    then: { question: menu(1), then: { question: menu(2), then: GONE } },
  });
  expect([await answer(session, 'Never'), typed]).toMatchObject([
    { isConfirmed: true },
    ['<Down>', '<Down>', '<Enter>'],
  ]);
});

test('[ASK-1] a selection that moved by itself is followed, not counted', async () => {
  const { session, typed } = scripted({
    question: menu(0),
    then: { question: menu(2), then: { question: menu(1), then: GONE } },
  });
  expect([await answer(session, 'No'), typed]).toMatchObject([{ isConfirmed: true }, ['<Down>', '<Up>', '<Enter>']]);
});

test('[ASK-1] another question, another subject or none: nothing more is pressed', async () => {
  const other = { ...menu(0), text: 'Delete everything?' };
  const others: Moment[] = [
    { question: other },
    { question: { ...menu(0), subject: 'rm -r /' } },
    GONE,
    { question: menu(0, ['Ja', 'Nein']) },
  ];
  for (const moment of others) {
    const { session, typed } = scripted(moment);
    await expect(answer(session, 'Yes')).rejects.toMatchObject({ code: 'QUESTION_CHANGED' });
    expect(typed).toEqual([]);
    const later = scripted({ question: menu(0), then: moment });
    await expect(answer(later.session, 'No')).rejects.toMatchObject({ code: 'QUESTION_CHANGED' });
    expect(later.typed).toEqual(['<Down>']);
  }
});

test('[ASK-1] a letter and Enter are typed as one line where a line is read, and nowhere else', async () => {
  const question = { ...QUESTION, options: [{ label: 'Yes', keys: [key('y'), key('Enter')] }] };
  const line = scripted({ question, then: GONE }, { readsByLine: true });
  expect([await answer(line.session, 'Yes'), line.typed]).toMatchObject([{ isConfirmed: true }, ['<y><Enter>']]);
  const raw = scripted({ question, then: GONE });
  await expect(answer(raw.session, 'Yes')).rejects.toThrow(SpoolError);
  expect(raw.typed).toEqual([]);
});

test('[ASK-1] an answer without a known key is refused', async () => {
  const { session, typed } = scripted({ question: { ...QUESTION, options: [{ label: 'Yes', keys: null }] } });
  await expect(answer(session, 'Yes')).rejects.toMatchObject({ code: 'ANSWER_UNKNOWN' });
  expect(typed).toEqual([]);
});

test('[ASK-1] of two answers at once one is pressed, and the other is refused; a later one is looked at again', async () => {
  const question = { ...QUESTION, options: [{ label: 'Yes', keys: [key('1')] }] };
  const { session, typed } = scripted({ question });
  const [first, second] = await Promise.allSettled([answer(session, 'Yes'), answer(session, 'Yes')]);
  expect(first).toMatchObject({ status: 'fulfilled', value: { isConfirmed: false } });
  expect(second).toMatchObject({ reason: { code: 'QUESTION_CHANGED' } });
  expect(typed).toEqual(['<1>']);
  await answer(session, 'Yes');
  expect(typed).toEqual(['<1>', '<1>']);
});
