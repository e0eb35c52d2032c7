import { describe, expect, test } from 'vitest';
import { ReducerFixture } from './testing/session.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const BOX = '──────────────────────';
const DIALOG = ` Bash command\n ls\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend`;
const CODEX_DIALOG =
  '  Would you like to run the following command?\n\n  $ touch a\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel';
const PROMPT = `✻ Baked for 3s\n${BOX}\n❯ █\n${BOX}\n  ? for shortcuts`;
const WORK = `✽ Baking… (3s)\n${BOX}\n❯ █\n${BOX}\n  esc to interrupt`;

describe('a dialog that is gone', () => {
  test('[STATE-1] ends at the first look that does not see it, before anything else is recognised', () => {
    const session = new ReducerFixture('claude').shows(DIALOG).wait(SECOND).types().wait(10);
    expect(session.is).toBe('blocked (permission)');
    expect(session.shows('● Bash(ls)').is).toBe('working');
  });

  test('[STATE-1] ends what was reported about it: the program, a title, a notification', () => {
    const ask = (): ReducerFixture => new ReducerFixture('codex').shows(CODEX_DIALOG).wait(SECOND);
    const answered = (session: ReducerFixture): string => {
      session.wait(500).looksAt(`${CODEX_DIALOG} `);
      expect(session.is).toMatch('blocked');
      return session.types().wait(100).shows('• Running touch a').is;
    };
    expect(answered(ask().reports({ state: 'blocked', app: 'codex' }))).toBe('working');
    expect(answered(ask().says({ type: 'title-changed', title: '[ ! ] Action Required' }))).toBe('working');
    expect(answered(ask().says({ type: 'notified', title: '', body: 'Approval requested: touch a' }))).toBe('working');
  });

  test('[STATE-1] the report of the next dialog counts, also before it is drawn', () => {
    const session = new ReducerFixture('codex')
      .reports({ state: 'blocked', app: 'codex' })
      .shows(CODEX_DIALOG)
      .wait(SECOND);
    session.types().wait(100).reports({ state: 'working', app: 'codex' }).reports({ state: 'blocked', app: 'codex' });
    expect(session.wait(40).shows('• Running touch b').is).toBe('blocked');
  });
});

describe('programs that report themselves (OSC 7501)', () => {
  test('are believed, whatever their screen looks like', () => {
    const session = new ReducerFixture('codex').reports({ state: 'working', app: 'codex' }).shows('$ ').wait(SECOND);
    expect(session.is).toBe('working');
    expect(session.reports({ state: 'blocked', kind: 'question' }).is).toBe('blocked (question)');
    expect(session.reports({ state: 'done' }).is).toBe('idle (done)');
    expect(session.reports({ state: 'error' }).is).toBe('idle (error)');
    expect(session.reducer.status).toMatchObject({ source: 'program', confidence: 0.99, agent: 'codex' });
  });

  test('a part that is blocked blocks the whole; clear drops it and what is below it', () => {
    const session = new ReducerFixture('x').reports({ state: 'working' }).reports({ state: 'blocked', id: 'a/b' });
    expect(session.is).toBe('blocked');
    expect(session.reports({ state: 'clear', id: 'a' }).is).toBe('working');
  });

  test('progress and message come along', () => {
    const { status } = new ReducerFixture('x').reports({ state: 'working', percent: 40, message: 'Linking' }).reducer;
    expect(status).toMatchObject({ progress: 40, activity: 'Linking' });
  });

  test('at a prompt of the shell, what was unfinished is dropped', () => {
    const session = new ReducerFixture('bash').says({ type: 'command-start' }).reports({ state: 'blocked' });
    expect(session.is).toBe('blocked');
    expect(session.says({ type: 'prompt-start' }, { type: 'prompt-end' }).is).toBe('idle (prompt)');
  });

  test('one that was killed is not believed for ever: a prompt in its place counts after a while', () => {
    const session = new ReducerFixture('bash')
      .reports({ state: 'working' })
      .wait(SECOND)
      .shows('user@box:~$ ')
      .wait(2 * SECOND);
    expect(session.is).toBe('working');
    expect(session.wait(10 * SECOND).is).toBe('idle (prompt)');
  });
});

describe('programs that were killed in a shell, and are still on record as idle', () => {
  test('are forgotten when the next command starts', () => {
    const session = new ReducerFixture('bash').says({ type: 'command-start' }).reports({ state: 'idle' });
    session.says({ type: 'command-end' }, { type: 'prompt-end' }, { type: 'command-start', command: 'make' });
    expect(session.reducer.status).toMatchObject({ state: 'working', activity: 'make' });
  });

  test('are forgotten when the prompt has been there for a while', () => {
    const session = new ReducerFixture('bash')
      .shows('$ x')
      .reports({ state: 'idle' })
      .wait(SECOND)
      .shows('$ x\nuser@box:~$ ');
    session.wait(MINUTE).types().shows('$ x\nuser@box:~$ make\n').wait(SECOND);
    expect(session.is).toBe('working');
  });
});

describe('[STATE-1] what a shell has in its foreground', () => {
  test('is what is being done, and whose screen it is', () => {
    const session = new ReducerFixture('bash').shows('$ █').wait(SECOND);
    session.reducer.foreground(['make', '-j4', 'all\x1b[31m'], session.now);
    session.shows('$ make -j4 all\ngcc -c main.c\n█').wait(SECOND);
    expect(session.reducer.status).toMatchObject({ state: 'working', agent: 'shell', activity: 'make -j4 all[31m' });
    session.reducer.foreground(['node', '/usr/bin/codex'], session.now);
    expect(session.reducer.status.agent).toBe('codex');
    session.reducer.foreground(null, session.now);
    session.shows('$ make -j4 all\ngcc -c main.c\n$ █').wait(SECOND);
    expect(session.reducer.status).toMatchObject({ state: 'idle', agent: 'shell', activity: null });
  });
});

describe('[STATE-1] a dialog on the screen', () => {
  test.each([
    ['the title', (session: ReducerFixture) => session.says({ type: 'title-changed', title: '✳ Claude Code' })],
    ['silence', (session: ReducerFixture) => session.wait(120 * MINUTE)],
    ['the program', (session: ReducerFixture) => session.reports({ state: 'idle' })],
    [
      'a notification',
      (session: ReducerFixture) =>
        session.says({ type: 'notified', title: '', body: 'Claude is waiting for your input' }),
    ],
  ])('is never idle, though %s says so', (_, say) => {
    const session = new ReducerFixture('claude').shows(DIALOG).wait(SECOND);
    say(session);
    expect(session.is).toBe('blocked (permission)');
  });

  test('beats a report of work that is older, and yields to one that is newer', () => {
    const session = new ReducerFixture('claude').reports({ state: 'working' }).wait(SECOND).shows(DIALOG);
    expect(session.is).toBe('blocked (permission)');
    expect(session.wait(SECOND).reports({ state: 'working' }).is).toBe('working');
  });

  test('stays what it is while something blinks', () => {
    const session = new ReducerFixture('claude').shows(DIALOG);
    const { status } = session.reducer;
    for (let at = 0; at < 20; at++) session.wait(606).shows(`${at % 2 ? '●' : ' '} Running\n${DIALOG}`);
    expect(session.reducer.status).toBe(status);
    expect(status).toMatchObject({ state: 'blocked', since: 0 });
  });
});

describe('agents by their screens', () => {
  test('work, wait, and are idle when that has lasted', () => {
    const session = new ReducerFixture('claude').shows(PROMPT);
    expect(session.is).toBe('starting');
    expect(session.wait(600).is).toBe('idle (prompt)');
    expect(session.shows(WORK).is).toBe('working');
    expect(session.wait(100).shows(PROMPT).is).toBe('working');
    expect(session.wait(100).shows(DIALOG).is).toBe('blocked (permission)');
    expect(session.reducer.nextCheckAt).toBeNull();
  });

  test('a picture that is half drawn changes nothing', () => {
    const session = new ReducerFixture('claude').shows(PROMPT).wait(SECOND).shows('✻ Baked').wait(300).shows(PROMPT);
    expect(session.is).toBe('idle (prompt)');
  });

  test('a spinner in the title counts as long as it turns', () => {
    const session = new ReducerFixture('claude').shows('?').says({ type: 'title-changed', title: '◐ Claude Code' });
    expect(session.reducer.status).toMatchObject({ state: 'working', source: 'title' });
    expect(session.wait(6 * SECOND).reducer.status.source).not.toBe('title');
  });
});

describe('programs that nobody knows', () => {
  test('work while they print, and for a long time after', () => {
    const session = new ReducerFixture('make').shows('cc -c a.c');
    const seen = [session.reducer.status];
    for (const ms of [10 * SECOND, 2 * MINUTE, 12 * MINUTE, 20 * MINUTE]) seen.push(session.wait(ms).reducer.status);
    expect(seen.map(({ state, confidence }) => [state, confidence])).toEqual([
      ['working', 0.6],
      ['working', 0.5],
      ['working', 0.4],
      ['working', 0.3],
      ['idle', 0.3],
    ]);
    expect(session.is).toBe('idle (silence)');
    expect(session.shows('done').is).toBe('working');
  });

  test('are never blocked by silence alone', () => {
    const session = new ReducerFixture('make').shows('cc -c a.c');
    for (let at = 0; at < 100; at++) expect(session.wait(MINUTE).reducer.status.state).not.toBe('blocked');
  });

  test('[STATE-1] one that shows nothing at all is starting for ten seconds only, and less certain with time', () => {
    const { reducer } = new ReducerFixture('sleep 1000');
    const certain: number[] = [];
    for (let at = reducer.nextCheckAt; at !== null; at = reducer.nextCheckAt) {
      reducer.tick(at);
      certain.push(reducer.status.confidence);
      if (reducer.status.state === 'idle') break;
      expect([at, reducer.status.state]).toEqual([at, 'working']);
    }
    expect(certain).toEqual([0.5, 0.4, 0.3, 0.3]);
    expect(reducer.status).toMatchObject({ state: 'idle', source: 'output' });
  });

  test('a full screen that stands still waits for a key', () => {
    const session = new ReducerFixture('vim a.c').shows('int main()', { isAlternate: true });
    expect(session.wait(10 * SECOND).is).toBe('working');
    expect(session.wait(10 * SECOND).is).toBe('idle (silence)');
    expect(session.types().shows('int main(void)', { isAlternate: true }).is).toBe('idle (silence)');
  });

  test('what looks like a prompt is idle after a few seconds, and typing at it is no work', () => {
    const session = new ReducerFixture('python3').shows('>>> ').wait(2 * SECOND);
    expect(session.is).toBe('starting');
    expect(session.wait(2 * SECOND).is).toBe('idle (prompt)');
    for (const text of ['>>> f', '>>> f(', '>>> f()']) session.types().shows(text).wait(SECOND);
    expect(session.is).toBe('idle (prompt)');
    expect(session.types().shows('>>> f()\n').wait(SECOND).is).toBe('working');
  });

  test('a question at the cursor blocks, and an answer ends it', () => {
    const session = new ReducerFixture('apt install x').shows('Do you want to continue? [Y/n] ');
    expect(session.is).toBe('blocked (confirm)');
    expect(session.types().shows('Do you want to continue? [Y/n] y\nGet:1 x').wait(SECOND).is).toBe('working');
  });

  test('show progress, and forget to end it', () => {
    const session = new ReducerFixture('make')
      .shows('a')
      .says({ type: 'progress-changed', progress: { state: 'normal', percent: 30 } });
    expect(session.reducer.status).toMatchObject({ state: 'working', source: 'progress', progress: 30 });
    expect(session.wait(2 * MINUTE).reducer.status).toMatchObject({ state: 'working', source: 'output', progress: 30 });
    const restarted = new ReducerFixture('make', session.reducer.status).shows('a').wait(MINUTE);
    expect(restarted.reducer.status).toMatchObject({ state: 'working', progress: 30 });
    expect(session.wait(30 * MINUTE).reducer.status).toMatchObject({ state: 'idle', progress: null });
  });

  test('show progress before anything else: they work', () => {
    const session = new ReducerFixture('make').says({
      type: 'progress-changed',
      progress: { state: 'normal', percent: 30 },
    });
    expect(session.reducer.status).toMatchObject({ state: 'working', progress: 30 });
  });

  test('show progress, and clear it', () => {
    const session = new ReducerFixture('make').shows('a');
    session.says({ type: 'progress-changed', progress: { state: 'normal', percent: 30 } }).wait(2 * MINUTE);
    session.says({ type: 'progress-changed', progress: { state: 'none' } });
    expect(session.reducer.status).toMatchObject({ state: 'working', progress: null });
  });

  test('a bell is told, and decides nothing', () => {
    const { status } = new ReducerFixture('make').shows('a').says({ type: 'bell-rung' }).reducer;
    expect(status.state).toBe('working');
    expect(status.evidence.map(({ source }) => source)).toEqual(['output', 'bell']);
  });
});

describe('shells', () => {
  test('that mark prompts and commands are believed', () => {
    const session = new ReducerFixture('bash').says({ type: 'prompt-start' }, { type: 'prompt-end' }).shows('$ ');
    expect(session.is).toBe('idle (prompt)');
    session.says({ type: 'command-text', command: 'npm test' }, { type: 'command-start' });
    expect(session.reducer.status).toMatchObject({ state: 'working', source: 'shell', activity: 'npm test' });
    session.shows('$ npm test\nok').wait(5 * MINUTE);
    expect(session.is).toBe('working');
    session.says({ type: 'command-end', exitCode: 1 }, { type: 'prompt-start' }, { type: 'prompt-end' });
    expect(session.reducer.status).toMatchObject({ state: 'idle', kind: 'prompt', confidence: 0.95 });
  });

  test('the agent of a command is known before it shows anything, and asks through the shell', () => {
    const session = new ReducerFixture('zsh').says({ type: 'command-start', command: 'npx @openai/codex' });
    expect(session.reducer.status.agent).toBe('codex');
    const dialog =
      '  Would you like to run the following command?\n› 1. Yes\n  2. No\n  Press enter to confirm or esc to cancel';
    expect(session.shows(dialog).is).toBe('blocked (permission)');
    expect(session.says({ type: 'command-end' }, { type: 'prompt-end' }).reducer.status.agent).toBe('shell');
  });

  test('typed text at a prompt is not a question', () => {
    const session = new ReducerFixture('bash').says({ type: 'command-end' }, { type: 'prompt-end' }).types();
    expect(session.shows('$ echo "Proceed? [y/N] ').wait(SECOND).is).toBe('idle (prompt)');
  });

  test('that mark prompts only: what they print after a while is a command', () => {
    const session = new ReducerFixture('bash').says({ type: 'prompt-end' }).shows('$ ').wait(SECOND);
    expect(session.is).toBe('idle (prompt)');
    expect(session.shows('$ make\ncc -c a.c').wait(SECOND).is).toBe('working');
  });

  test('that mark nothing: their prompt is read off the screen', () => {
    const session = new ReducerFixture('bash').shows('user@box:~$ ').wait(SECOND);
    expect(session.is).toBe('idle (prompt)');
    expect(session.types().shows('user@box:~$ sleep 100\n').wait(SECOND).is).toBe('working');
    expect(session.wait(MINUTE).shows('user@box:~$ sleep 100\nuser@box:~$ ').wait(SECOND).is).toBe('idle (prompt)');
  });
});

test('a notification counts until somebody types', () => {
  const session = new ReducerFixture('x')
    .shows('a')
    .says({ type: 'notified', title: 'x', body: 'needs your approval' });
  expect(session.is).toBe('blocked (permission)');
  expect(session.types().is).toBe('working');
});

test('the end is the end', () => {
  const session = new ReducerFixture('claude').shows(DIALOG);
  session.reducer.exited(5, 99, null, 'SIGKILL');
  const { status } = session.reducer;
  expect(status).toMatchObject({ state: 'exited', since: 5, source: 'process', confidence: 1, offset: 99 });
  expect(session.shows(PROMPT).reports({ state: 'working' }).wait(MINUTE).reducer.status).toBe(status);
  expect(session.reducer.nextCheckAt).toBeNull();
});

test('after a restart it goes on from what was known', () => {
  const before = new ReducerFixture('codex').reports({ state: 'blocked', kind: 'permission' }).reducer.status;
  const session = new ReducerFixture('codex', before).wait(SECOND);
  expect(session.reducer.status).toBe(before);
  session.reducer.output(10, session.now, 500);
  expect(session.reducer.status).toBe(before);
  expect(session.shows('› Ask').wait(SECOND).is).toBe('blocked (permission)');
  expect(session.reports({ state: 'working' }).is).toBe('working');
});

test('[STATE-1] after a restart a prompt is idle since it was, also while it is read again', () => {
  const before = new ReducerFixture('bash').shows('user@box:~$ ').wait(SECOND).reducer.status;
  const session = new ReducerFixture('bash', before).wait(2 * MINUTE).looksAt('user@box:~$ ');
  expect(session.is).toBe('idle (prompt)');
  expect(session.wait(SECOND).reducer.status).toMatchObject({ state: 'idle', since: before.since, source: 'screen' });
});

test('[STATE-1] after a restart what is printed while the screen is read again is work', () => {
  const before = new ReducerFixture('bash').shows('user@box:~$ ').wait(SECOND).reducer.status;
  const session = new ReducerFixture('bash', before).wait(MINUTE).looksAt('user@box:~$ ').wait(100);
  expect(session.shows('user@box:~$ make\ncc -c a.c').wait(SECOND).is).toBe('working');
});

test('[STATE-1] nothing new is nothing: the same object, and no check where silence changes nothing', () => {
  const session = new ReducerFixture('claude')
    .says({ type: 'title-changed', title: '✳ Claude Code' })
    .shows(PROMPT, { title: '✳ Claude Code' });
  const { status } = session.wait(SECOND).reducer;
  for (let at = 0; at < 50; at++) session.wait(MINUTE).shows(PROMPT, { title: '✳ Claude Code' });
  expect(session.reducer.status).toBe(status);
  expect(session.reducer.nextCheckAt).toBeNull();
});

test('[STATE-30] codex that has lost its server in a turn is in trouble, although it has reported that it works', () => {
  const box = '› █Ask Codex to do anything\n\n  scripted default · ~/project';
  const session = new ReducerFixture('codex').shows(`  >_ OpenAI Codex (v0.169.0)\n\n${box}`).wait(3000);
  session.reports({ state: 'working' }).wait(3000);
  const more = ' · 1 background terminal running · /ps to view · /stop to close';
  session.shows(`  >_ OpenAI Codex (v0.169.0)\n\n• Reconnecting to server… (4s)${more}\n\n${box}`).wait(3000);
  expect(session.reducer.status).toMatchObject({ state: 'working', kind: 'trouble' });
});

test('[STATE-1] codex that has lost its server is not idle, although it has reported so; and idle again once it is back', () => {
  const box = '› █Ask Codex to do anything\n\n  scripted default · ~/project';
  const session = new ReducerFixture('codex').shows(`  >_ OpenAI Codex (v0.169.0)\n\n${box}`).wait(3000);
  session.reports({ state: 'idle' }).wait(3000);
  expect(session.reducer.status).toMatchObject({ state: 'idle', source: 'program' });
  session.shows(`  >_ OpenAI Codex (v0.169.0)\n\n• Reconnecting to server… (5s)\n\n${box}`).wait(3000);
  expect(session.reducer.status).toMatchObject({ state: 'working', kind: 'trouble' });
  session.shows(`  >_ OpenAI Codex (v0.169.0)\n\n${box}`).wait(3000);
  expect(session.reducer.status.state).toBe('idle');
});
