/** Tests the texts of an agent in a status UI, on recordings of real agents: thought, activity and the last sentence. */
import { expect, test } from 'vitest';
import { recordings } from './testing/recordings.ts';
import { replay } from './testing/replay.ts';

interface Feed {
  readonly thoughts: ReadonlySet<string>;
  readonly activities: ReadonlySet<string>;
  readonly said: readonly string[];
}

function feedOf(name: string): Feed {
  const recording = recordings().find((each) => each.name === name)!;
  const [thoughts, activities, said] = [new Set<string>(), new Set<string>(), [] as string[]];
  replay(recording, {
    onStep(_ms, status) {
      if (status.thought !== null) thoughts.add(status.thought);
      if (status.activity !== null) activities.add(status.activity);
      if (status.said !== undefined && status.said !== said.at(-1)) said.push(status.said);
    },
  });
  return { thoughts, activities, said };
}

test('[STATE-11] a thought has all its lines, and what was said is the last sentence', () => {
  const { thoughts, said } = feedOf('claude/tui-full-xterm');
  expect([...thoughts]).toContain(
    'The user wants me to think. First I look at the question. Then I weigh two options. Option B is better.',
  );
  expect(said.slice(0, 2)).toEqual(['How can I help?', 'After some thought: option B.']);
  expect(said).toContain('The command printed two lines.');
});

test('[STATE-11] the last tool call, with its arguments, comes before the verb of a spinner', () => {
  const { activities, said } = feedOf('claude/tui-subagent');
  expect([...activities]).toContain('Agent(Count the files)');
  expect(said).toEqual(expect.arrayContaining(['I delegate.', 'The subagent has answered.', 'Done.']));
  expect([...feedOf('claude/tui-full-xterm').activities].some((each) => each.startsWith('Bash(echo one'))).toBe(true);
});

test('[STATE-11] other agents say something too, and no tool call is taken for it', () => {
  const { activities, said } = feedOf('codex/tui-session-full');
  expect([...activities].some((each) => each.startsWith('Ran touch ') || each.startsWith('Running touch '))).toBe(true);
  expect(said).toContain('Finished with the command.');
  expect(said.filter((each) => /^(Ran|Running|Added) /.test(each))).toEqual([]);
});
