/**
 * Rows of commands that a test runs on a machine itself and from another one, to compare the outputs and exit codes. `-X` in a name
 * becomes the place.
 */
import type { RunResult } from '@spool/testkit';

/** Masks ids, times and process ids, which differ from run to run. */
const masked = (text: string): string =>
  text
    .replaceAll(/\b[a-z][a-z0-9]{9}\b/g, 'ID')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\d\d:\d\d:\d\d(\.\d+)?/g, 'CLOCK')
    .replaceAll(/\d+(\.\d+)?(ms|s|m)\b/g, 'TIME')
    .replaceAll(/\d{13}/g, 'AT')
    .replaceAll(/\bby (cli \d+|token|\w+@\w+)\b/g, 'by WHO')
    .replaceAll(/ {2,}/g, '  ');
export const plain = ({ code, stdout, stderr }: RunResult): unknown => ({
  code,
  stdout: masked(stdout),
  stderr: masked(stderr),
});

/** Starts the session `cat-X`, which echoes lines; `ask` runs `spool`. */
export const CAT_ROWS: readonly (readonly string[])[] = [
  ['run', '-d', '--name', 'cat-X', '--cwd', '/tmp', '--', 'sh', '-c', 'stty -echo; echo ready; exec cat'],
  ['wait', 'cat-X', '--until', 'match:/ready/', '--timeout', '60s'],
];

/** The commands for `cat-X`, and for more sessions. */
export const SESSION_ROWS: readonly (readonly string[])[] = [
  ['send', 'cat-X', 'hello'],
  ['keys', 'cat-X', 'enter'],
  ['wait', 'cat-X', '--until', 'match:/hello/', '--timeout', '60s'],
  ['paste', 'cat-X', 'pasted'],
  ['keys', 'cat-X', 'enter'],
  ['wait', 'cat-X', '--until', 'match:/pasted/', '--timeout', '60s'],
  ['logs', 'cat-X'],
  ['screen', 'cat-X'],
  ['explain', 'cat-X'],
  ['events', 'cat-X', '--type', 'session-started'],
  ['ls', '--filter', 'name=cat-X', '--format', '{{.name}} {{.status.state}} {{.command}}'],
  ['prompt', 'cat-X', '--force', 'asked'],
  ['wait', 'cat-X', '--until', 'match:/asked/', '--timeout', '60s'],
  ['update', 'cat-X', '--label', 'a=b'],
  ['rename', 'cat-X', 'cat2-X'],
  ['stop', 'cat2-X'],
  ['send', 'cat2-X', 'too late'],
  ['logs', 'cat2-X', '--json'],
  ['export', 'cat2-X', '--text'],
  ['summary', 'cat2-X'],
  ['replay', 'cat2-X'],
  ['run', '-d', '--name', 'victim-X', '--', 'sleep', '1000'],
  ['kill', 'victim-X'],
  ['kill', 'victim-X', '--signal', 'nonsense'],
  ['notify', 'test', '--json'],
  ['notify', 'nonsense'],
  ['audit', 'nonsense'],
  ['token', 'revoke', 'no-such-token'],
  ['share', 'no-such-session'],
  ['watch'],
  ['wait', 'cat2-X'],
  ['rm', 'cat2-X'],
  ['inspect', 'cat2-X'],
  ['run', '--', 'sh', '-c', 'echo out; exit 3'],
  ['run', '--', 'no-such-command'],
  ['run', '--env', 'FOO=bar', '--cwd', '/tmp', '--', 'sh', '-c', 'echo $FOO; pwd'],
  ['run', '--headless', '--', 'sh', '-c', 'echo err >&2'],
  ['task', 'run', '--name', 'job-X', '--', 'sh', '-c', 'echo done'],
  ['task', 'logs', 'job-X'],
  ['ls', '--frobnicate'],
  ['attach', 'no-such-session'],
];

/** The life of a scripted agent without a terminal. */
export function agentRows(program: string): readonly (readonly string[])[] {
  const waitIdle = ['wait', 'agent-X', '--until', 'idle', '--timeout', '60s'];
  return [
    ['run', '--agent', 'claude', '-d', '--name', 'agent-X', '--program', program, '--', 'ask 2'],
    ['wait', 'agent-X', '--until', 'blocked', '--timeout', '60s'],
    ['approve', 'agent-X', '--request', 'request-1-0'],
    ['deny', 'agent-X', '--request', 'request-1-1', '-m', 'no'],
    waitIdle,
    ['approve', 'agent-X'],
    ['answer', 'agent-X', 'yes'],
    ['prompt', 'agent-X', 'say hello'],
    waitIdle,
    ['queue', 'agent-X'],
    ['interrupt', 'agent-X'],
    ['logs', 'agent-X'],
    ['send', 'agent-X', 'raw'],
    ['stop', 'agent-X'],
    ['events', 'agent-X', '--agent'],
  ];
}
