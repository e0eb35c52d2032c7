/** Tests questions that are answered from the list: with real programs that ask, on real terminals. */
import { writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import type { Question } from '@spool/protocol';
import { seen, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TerminalUser } from './support/terminal-user.ts';

const SIZE = { cols: 100, rows: 24 };
const env = { PATH: process.env.PATH!, TERM: 'xterm-256color', LANG: 'C.UTF-8' };

/** A menu that is moved by arrows and slow to draw; it prints every key that it got, and the choice. */
const MENU = `
  const labels = ['Keep it', 'Delete it', 'Ask me later'];
  let at = 0;
  const keys = [];
  const draw = () => process.stdout.write('\\x1b[2J\\x1b[H? What shall happen to the old database? (Use arrow keys)\\r\\n'
    + labels.map((label, index) => (index === at ? '❯ ' : '  ') + label).join('\\r\\n') + '\\r\\n');
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => {
    for (const [key] of bytes.toString().matchAll(/\\x1b\\[[AB]|[^]/g)) {
      keys.push(key === '\\r' ? 'Enter' : key === '\\x1b[B' ? 'Down' : key === '\\x1b[A' ? 'Up' : JSON.stringify(key));
      if (key === '\\x1b[B') at = Math.min(at + 1, 2);
      if (key === '\\x1b[A') at = Math.max(at - 1, 0);
      if (key !== '\\r') { setTimeout(draw, 150); continue; }
      process.stdout.write('\\x1b[2J\\x1b[Hchosen: ' + labels[at] + ' after ' + keys.join(' ') + '\\r\\n');
      setInterval(() => {}, 1000);
    }
  });
  draw();`;

async function asked(client: Client, session: string): Promise<Question> {
  await until('its question is known', async () => (await client.get(session)).status.question !== undefined, 20_000);
  return (await client.get(session)).status.question!;
}

test('[WATCH-4] a question is shown with its answers, and the chosen one is typed; other keys answer nothing', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script =
    'echo "About to push 3 commits"; read -p "Continue? [y/N] " answer; echo "got <$answer>"; exec sleep 1000';
  await client.run({ command: ['bash', '-c', script], env, size: SIZE, name: 'deploy' });
  await asked(client, 'deploy');
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('space answer');
  person.types(' ');
  await person.sees('deploy asks: Continue? [y/N]', '1  yes');
  person.types('9\r\rz');
  person.types('\x1b');
  await person.sees('space answer');
  person.types(' 2');
  await person.sees('answered "no"');
  await seen(client, 'deploy', 'got <n>');
  expect((await client.screen('deploy')).content).toContain('got <n>');
  person.types(' ');
  await person.sees('deploy is not asking anything');
  person.types('q');
  await person.isBackInTheShell(0);
});

test('[ASK-1, WATCH-4] in a menu the selection is moved step by step, and Enter is pressed when the screen shows it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({ command: [process.execPath, '-e', MENU], env, size: SIZE, name: 'old-db' });
  const { options } = await asked(client, 'old-db');
  expect(options.map(({ label }) => label)).toEqual(['Keep it', 'Delete it', 'Ask me later']);
  using person = new TerminalUser([SPOOL, 'watch'], daemon, SIZE);
  await person.sees('space answer');
  person.types(' 3');
  await person.sees('chosen: Ask me later after Down Down Enter');
  person.types('q');
  await person.isBackInTheShell(0);
});

/** The buttons of OpenCode, which are slow to draw. The selected one differs only by its background. */
const BUTTONS = `
  const labels = ['Allow once', 'Allow always', 'Reject'];
  let at = 0;
  const keys = [];
  const button = (label, index) => (index === at ? '\\x1b[48;2;245;167;66m' : '\\x1b[48;2;30;30;30m') + ' ' + label + ' \\x1b[48;2;30;30;30m';
  const draw = () => process.stdout.write('\\x1b[2J\\x1b[H  ┃\\r\\n  ┃  △ Permission required\\r\\n  ┃    # Shell command\\r\\n  ┃\\r\\n'
    + '  ┃  $ touch a.txt\\r\\n  ┃\\r\\n  ┃\\x1b[48;2;30;30;30m  ' + labels.map(button).join(' ') + '   ⇆ select  enter confirm\\x1b[m\\r\\n  ┃\\r\\n');
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => {
    for (const [key] of bytes.toString().matchAll(/\\x1b\\[[CD]|[^]/g)) {
      keys.push(key === '\\r' ? 'Enter' : key === '\\x1b[C' ? 'Right' : key === '\\x1b[D' ? 'Left' : JSON.stringify(key));
      if (key === '\\x1b[C') at = Math.min(at + 1, 2);
      if (key === '\\x1b[D') at = Math.max(at - 1, 0);
      if (key !== '\\r') { setTimeout(draw, 150); continue; }
      process.stdout.write('\\x1b[2J\\x1b[Hchosen: ' + labels[at] + ' after ' + keys.join(' ') + '\\r\\n');
      setInterval(() => {}, 1000);
    }
  });
  draw();`;

test('[ASK-1] of buttons that only show by colour which is selected, the wanted one is reached, looked at and confirmed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const program = `${daemon.home}/opencode`;
  writeFileSync(program, `#!${process.execPath}\n${BUTTONS}`, { mode: 0o755 });
  const { id } = await client.run({ command: [program], env, size: SIZE, name: 'code' });
  const question = await asked(client, 'code');
  expect(question).toMatchObject({ subject: 'touch a.txt' });
  expect(question.options.map(({ key }) => key)).toEqual(['Enter', 'Right Enter', 'Right Right Enter']);
  const answered = await client.answer(id, { question, option: 'Reject' });
  expect(answered.isConfirmed).toBe(true);
  await seen(client, 'code', 'chosen: Reject after Right Right Enter');
});

test('[ASK-1] a question that has changed is not answered, and nothing is typed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const go = `${daemon.home}/go`;
  const script = `printf "Delete the file a? [y/N] "; until [ -e ${go} ]; do sleep 0.1; done; printf "\\nDelete EVERYTHING? [y/N] "; read answer; echo "got <$answer>"`;
  const { id } = await client.run({ command: ['bash', '-c', script], env, size: SIZE, name: 'asks' });
  const first = await asked(client, id);
  writeFileSync(go, '');
  await seen(client, id, 'EVERYTHING');
  await expect(client.answer(id, { question: first, option: 'yes' })).rejects.toMatchObject({
    code: 'QUESTION_CHANGED',
  });
  await until('the new question is known', async () => (await asked(client, id)).text !== first.text, 20_000);
  const second = await asked(client, id);
  await expect(client.answer(id, { question: second, option: 'maybe' })).rejects.toMatchObject({
    code: 'QUESTION_CHANGED',
  });
  expect(await client.answer(id, { question: second, option: 'no' })).toMatchObject({ isConfirmed: true });
  await seen(client, id, 'got <n>');
});
