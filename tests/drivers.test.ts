/** Tests `spool driver`, as a user runs it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SPOOL } from '@spool/testkit';
import { expect, test } from 'vitest';

const LINES = [
  { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'Hello \u001b[31m' }] } },
  {
    type: 'assistant',
    message: { id: 'm2', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
  },
  { type: 'later', version: 9 },
];

test('[DRV-9] a recording becomes events, one a line, whatever is in the file; the exit code is 0', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spool-driver-'));
  try {
    const file = join(folder, 'run.ndjson');
    const text = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spool('driver', 'claude', '--replay', file);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('\u001b');
    const kinds = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(
      'session.started turn.started status message.delta message.done tool.started status raw tool.ended turn.ended session.ended status'.split(
        ' ',
      ),
    );
    const trace = join(folder, 'run.trace.ndjson');
    const half = text.length >> 1;
    const records = [text.slice(0, half), text.slice(half)].map((data, t) => JSON.stringify({ t, dir: 'out', data }));
    writeFileSync(trace, records.join('\n'));
    const again = spool('driver', 'claude', '--replay', trace).stdout.trim().split('\n');
    expect(again.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(kinds);
    writeFileSync(file, Buffer.from([0xff, 0x00, 0x0a, 0x7b, 0x0a, 0xe2, 0x82]));
    for (const name of ['claude', 'codex', 'opencode', 'acp', 'gemini', 'grok'])
      expect(spool('driver', name, '--replay', file).status, name).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a driver that does not exist and a file that cannot be read are told', () => {
  expect(spool('driver', 'nobody', '--replay', '/dev/null')).toMatchObject({ status: 2 });
  const missing = spool('driver', 'claude', '--replay', '/nowhere/at/all');
  expect(missing.status).not.toBe(0);
  expect(missing.stderr).toContain('/nowhere/at/all');
});

function spool(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(SPOOL, args, { encoding: 'utf8', env: { PATH: process.env.PATH } as NodeJS.ProcessEnv });
}
