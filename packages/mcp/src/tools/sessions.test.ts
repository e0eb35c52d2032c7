import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import type { Call } from '../tool.ts';
import { formatSessions, stopTool } from './sessions.ts';

function session(at: number, given: Partial<SessionInfo> = {}): SessionInfo {
  const status = { state: 'idle', kind: 'prompt', activity: null, why: '' };
  const known = { id: `id${at}`, name: 'bash', command: ['/bin/bash', '-i'], startedAt: at, state: 'running', status };
  return { milestone: null, exitCode: null, signal: null, ...known, ...given } as SessionInfo;
}

test.each([
  ['nothing but its command as a name', session(1), 'id1: running, idle (prompt); /bin/bash -i'],
  ['a name of its own', session(1, { name: 'api' }), 'id1 api: running, idle (prompt); /bin/bash -i'],
  ['a script', session(1, { command: ['/bin/sh', '-c', 'make\nall'] }), 'id1 bash: running, idle (prompt); make ⏎ all'],
  ['an exit code', session(1, { state: 'failed', exitCode: 3 }), 'id1: failed, exit code 3; /bin/bash -i'],
  ['a signal', session(1, { state: 'killed', signal: 'SIGKILL' }), 'id1: killed, SIGKILL; /bin/bash -i'],
])('[MCP-1] a session with %s is one short line', (_, info, line) => expect(formatSessions([info], false)).toBe(line));

test('[MCP-1] a name from outside stays in its line', () => {
  expect(formatSessions([session(1, { name: 'a\nid2 fake: running\u2028x' })], false).split(/[\n\u2028]/)).toHaveLength(
    1,
  );
});

test('[MCP-1] a list is short: running ones, the last few that ended, and how many there are besides', () => {
  const ended = Array.from({ length: 20 }, (_, at) => session(at, { state: 'exited', exitCode: 0 }));
  const lines = formatSessions([...ended, session(30)], false).split('\n');
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'id30',
    'id15',
    'id16',
    'id17',
    'id18',
    'id19',
    expect.any(String),
  ]);
  expect(lines.at(-1)).toBe('15 older sessions are not listed; all: true lists more');
  expect(formatSessions([...ended, session(30)], true).split('\n')).toHaveLength(21);
  expect(formatSessions([], false)).toBe('there are no sessions');
});

test('[RUN-26] the end of a session names what it has left running', async () => {
  const stopped = session(1, { state: 'stopped', signal: 'SIGTERM' });
  const leftRunning = [
    { pid: 7, program: 'codex', service: "Codex's shared service" },
    { pid: 8, program: 'a\nb', service: null },
  ];
  const answer = async (info: SessionInfo): Promise<string> => {
    const call = { client: { stop: () => Promise.resolve(info) } } as never as Call;
    return (await stopTool.call({ session: 'id1', graceSeconds: 5 }, call)).text;
  };
  expect(await answer(stopped)).toBe('id1: stopped, SIGTERM');
  expect((await answer({ ...stopped, leftRunning })).split('\n')).toEqual([
    'id1: stopped, SIGTERM',
    "left running: Codex's shared service (pid 7), started here, used by others",
    expect.stringMatching(/^left running: a.+b, which serves another session \(pid 8\), started here, used by others$/),
  ]);
});
