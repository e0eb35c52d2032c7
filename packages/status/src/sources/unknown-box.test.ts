import { describe, expect, test } from 'vitest';
import { ReducerFixture } from '../testing/session.ts';

const RULE = '─'.repeat(40);

describe('[STATE-1] an unknown program with its cursor in an input box is idle, with low confidence', () => {
  test.each([
    ['behind a sign, with a draft', 'Hello.\n\n> first line\n  second█\n\n  model-x'],
    ['in a frame', `Hello.\n╭${RULE}╮\n│ write here█\n╰${RULE}╯\n model-x`],
    ['between lines', `Hello.\n${RULE}\n  write█\n${RULE}\n model-x`],
  ])('%s', (_, screen) => {
    const session = new ReducerFixture('some-agent').shows(screen).wait(1000);
    expect(session.is).not.toMatch('idle');
    expect(session.wait(1000).is).toBe('idle (box)'); // not a prompt: a search field of a pager looks the same
    expect(session.reducer.status.confidence).toBeLessThan(0.5);
  });

  test('not while something beside it moves, and not without a box', () => {
    const session = new ReducerFixture('some-agent');
    for (let frame = 0; frame < 20; frame++) session.shows(`${'|/-'[frame % 3]} busy\n${RULE}\n> █\n${RULE}`).wait(200);
    expect(session.is).not.toMatch('idle');
    expect(new ReducerFixture('make').shows('cc -o a a.c\n█').wait(4000).is).not.toMatch('idle');
  });

  test('an empty prompt in a frame needs no 3 s', () => {
    const screen = `Hello.\n${RULE}\n❯ █\n${RULE}\n model-x`;
    expect(new ReducerFixture('some-agent').shows(screen).wait(1600).is).toBe('idle (box)');
    expect(new ReducerFixture('some-agent').shows('Hello.\n> █').wait(1600).is).not.toMatch('idle'); // the program is unknown
  });

  test('it works when a spinner begins to turn beside its prompt, also if that was a draft before', () => {
    const box = (draft: string, above = ''): string => `Hello.\n${above}\n${RULE}\n❯ ${draft}█\n${RULE}`;
    const session = new ReducerFixture('some-agent').shows(box('')).wait(2000).shows(box('fix it')).wait(2000);
    expect(session.is).toBe('idle (box)');
    session.types();
    for (let frame = 0; frame < 10; frame++) session.wait(200).shows(box('', `${'|/-'[frame % 3]} busy`));
    expect(session.is).toBe('working');
    expect(session.wait(2000).is).toBe('idle (box)');
  });

  test('a dialog that is gone is gone, also if the prompt is the one from before it', () => {
    const prompt = `Hello.\n${RULE}\n❯ █\n${RULE}`;
    const session = new ReducerFixture('some-agent').shows(prompt).wait(2000);
    session.shows('Hello.\nOverwrite config.yaml? [y/N] █').wait(500);
    expect(session.is).toMatch('blocked');
    expect(session.types().shows(prompt).wait(2000).is).toBe('idle (box)');
  });
});
