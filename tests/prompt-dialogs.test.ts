/** Tests that a prompt never answers a dialog that has just appeared, beside sessions that keep the daemon busy. */
import { existsSync, readFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import type { SpoolError } from '@spool/protocol';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, PS1: '$ ', HOME: '/' };

/** A program like a working agent: ten whole pictures a second, each of them different. */
const REPAINTS = String.raw`
  for ((row = 1; row <= 40; row++)); do
    printf -v line '\033[3%dm%04d\033[m %-100s\r\n' $((row % 7)) $row 'a line of text'
    frame+=$line
  done
  printf '\033[?1049h'
  for ((turn = 0; ; turn++)); do
    printf '\033[H%s%d' "$frame" $turn
    IFS= read -rsn1 -t 0.1 _
  done`;
const BUSY_SESSIONS = 60;

async function keepBusy(client: Client): Promise<void> {
  const size = { cols: 120, rows: 42 };
  await Promise.all(
    Array.from({ length: BUSY_SESSIONS }, () => client.run({ command: ['bash', '-c', REPAINTS], size, env })),
  );
}

/** Waits at a prompt and reports the keys that it reads; `?` makes it ask a question, and so does a paste that contains a `!`. */
const ASKS = String.raw`
  stty -echo
  printf '$ '
  while IFS= read -rsn1 key; do
    case "$key" in
      '?' | '!') printf '\r\nDelete everything? [y/N] ' ;;
      *) printf '<%q>' "$key" >> "$KEYS" ;;
    esac
  done`;

/** Returns the keys that it read, up to a key that is typed now. */
async function keysOf(client: Client, id: string, file: string): Promise<string> {
  await client.write(id, 'Z');
  await until('it has read all', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('<Z>'));
  return readFileSync(file, 'utf8').replace('<Z>', '');
}

const REFUSED = /^(?:INPUT_BLOCKED|STATE_UNKNOWN)$/;

const codeOf = (prompted: Promise<unknown>): Promise<string> =>
  prompted.then(
    () => 'typed',
    (error: { code: string }) => error.code,
  );

test(
  '[IN-7] beside sixty busy sessions, a prompt is never typed into a dialog, and Enter is never an answer',
  { timeout: 180_000 },
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const start = async (name: string): Promise<{ id: string; file: string }> => {
      const file = `${daemon.home}/${name}`;
      const { id } = await client.run({ command: ['bash', '-c', ASKS], name, size: PTY, env: { ...env, KEYS: file } });
      await client.waitUntil(id, 'prompt', { timeoutMs: 60_000 });
      return { id, file };
    };
    const rounds = await Promise.all(
      Array.from({ length: 3 }, async (_, round) => ({
        round,
        before: await start(`before-${round}`),
        between: await start(`between-${round}`),
      })),
    );
    await keepBusy(client);
    for (const { round, before, between } of rounds) {
      await client.write(before.id, '?');
      await seen(client, before.id, 'Delete everything?');
      // The dialog is in the log, so a reading of the screen shows it; on a machine that is too busy to read the screen, the
      // prompt is still refused.
      const code = await codeOf(client.prompt(before.id, 'please go on'));
      expect(code).toMatch(REFUSED);
      expect({ round, read: await keysOf(client, before.id, before.file) }).toEqual({ round, read: '' });

      const refused = (await client.prompt(between.id, 'go!').catch((error: unknown) => error)) as SpoolError;
      expect(refused.code).toMatch(REFUSED);
      const isTyped = 'text' in refused.details;
      expect(isTyped || refused.code === 'STATE_UNKNOWN').toBe(true);
      const read = await keysOf(client, between.id, between.file);
      expect({ round, read, details: refused.details }).toMatchObject({
        round,
        read: isTyped ? '<g><o>' : '',
        details: {
          session: `between-${round}`,
          ...(isTyped && { text: 'is in its input line, and was not submitted' }),
        },
      });
    }
  },
);

test('[IN-7] a program that repaints ten times a second takes a prompt', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const spinner = String.raw`stty -echo; while :; do printf '\r%d working ' $((i++)); IFS= read -rsn1 -t 0.1 key && printf '<%q>' "$key"; done`;
  const { id } = await client.run({ command: ['bash', '-c', spinner], size: PTY, env });
  await seen(client, id, '3 working');
  await client.prompt(id, 'ok', { confirmMs: 0 });
  await seen(client, id, `<''>`);
});
