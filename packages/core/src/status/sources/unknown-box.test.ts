import { describe, expect, test } from 'vitest';
import { Session } from '../testing/session.ts';

const RULE = '─'.repeat(40);

describe('[STATE-1] an unknown program with its cursor in an input box is idle, with low confidence', () => {
  test.each([
    ['behind a sign, with a draft', 'Hello.\n\n> first line\n  second█\n\n  model-x'],
    ['in a frame', `Hello.\n╭${RULE}╮\n│ write here█\n╰${RULE}╯\n model-x`],
    ['between lines', `Hello.\n${RULE}\n  write█\n${RULE}\n model-x`],
  ])('%s', (_, screen) => {
    const session = new Session('some-agent').shows(screen).wait(1000);
    expect(session.is).not.toMatch('idle');
    expect(session.wait(1000).is).toBe('idle (box)'); // not a prompt: a search field of a pager looks the same
    expect(session.reducer.status.confidence).toBeLessThan(0.5);
  });

  test('not while something beside it moves, and not without a box', () => {
    const session = new Session('some-agent');
    for (let frame = 0; frame < 20; frame++) session.shows(`${'|/-'[frame % 3]} busy\n${RULE}\n> █\n${RULE}`).wait(200);
    expect(session.is).not.toMatch('idle');
    expect(new Session('make').shows('cc -o a a.c\n█').wait(4000).is).not.toMatch('idle');
  });
});
