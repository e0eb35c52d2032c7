/** Tests notifications that leave the machine: their content, their receivers, and the possible answers. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { PushSubscriber } from './support/push-subscriber.ts';
import { Receiver } from './support/receiver.ts';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };
const asking = (question = 'Deploy to production?'): string[] => [
  'bash',
  '-c',
  `echo "the password is hunter2"; read -p "${question} [y/N] " answer; echo "got <$answer>"; exec sleep 1000`,
];

function configure(daemon: TestDaemon, notify: object): void {
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ notify }));
}

test('[NOTE-1] without a gateway a webhook is called all the same, and no door is opened for it', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { webhook: `${server.origin}/hook`, on: ['failure'] });
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', 'exit 9'], name: 'fails', size: PTY, env });
  await until('the webhook was called', () => server.received.length > 0);
  expect(server.received[0]).toMatchObject({ path: '/hook', headers: { 'content-type': 'application/json' } });
  expect(server.received[0]!.json).toEqual({
    type: 'notification',
    at: expect.any(Number),
    id,
    name: 'fails',
    about: 'failure',
    title: 'fails failed: exit code 9',
    body: expect.stringMatching(/^after [\d.]+m?s$/),
  });
  expect((await client.status()).gateway).toBe(null);
  expect((await daemon.spool(['web', 'status'])).stdout).toContain('No gateway is running');
  const tested = await daemon.json<{ outcomes: object[] }>('notify', 'test');
  expect(tested.outcomes).toEqual([{ channel: 'webhook', trouble: null }]);
});

test('[NOTE-40, NOTE-41] a server that is away is tried again, also by the next gateway; a redirect is not followed', async () => {
  using server = await Receiver.start();
  server.status = 503;
  await using daemon = new TestDaemon();
  configure(daemon, { webhook: `${server.origin}/hook`, on: ['failure'] });
  await TestGateway.start(daemon);
  const client = await daemon.client();
  await client.run({ command: ['sh', '-c', 'exit 9'], name: 'first', size: PTY, env });
  await until('it was tried again', () => server.received.length >= 2);
  const { pid } = (await client.status()).gateway!;
  process.kill(pid, 'SIGKILL');
  server.status = 200;
  const before = server.received.length;
  await until('the next gateway sends it', () => server.received.length > before);
  expect(new Set(server.received.map(({ json }) => json['name']))).toEqual(new Set(['first']));
  await until('there is a gateway', async () => ((await client.status()).gateway?.pid ?? pid) !== pid);
  server.statuses.push(302);
  const tested = await daemon.spool(['notify', 'test', '--json']);
  expect(JSON.parse(tested.stdout)).toMatchObject({
    outcomes: [{ channel: 'webhook', trouble: 'the server answered 302; redirects are not followed' }],
  });
  expect(server.received.some(({ path }) => path === '/elsewhere')).toBe(false);
});

test('[NOTE-4] what leaves the machine is the name and the question; more only if the user wants that', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { webhook: `${server.origin}/hook`, ntfy: `${server.origin}/ntfy/my-topic`, on: ['blocked'] });
  await TestGateway.start(daemon);
  const client = await daemon.client();
  await client.run({ command: asking(), name: 'deploy', size: PTY, env });
  await until('both were told', () => server.received.length === 2);
  const all = server.received.map(({ body }) => body.toString()).join('\n');
  expect(all).toContain('Deploy to production?');
  for (const secret of ['hunter2', 'bash', daemon.home, 'spoolask_', 'token'])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
  const ntfy = server.received.find(({ path }) => path === '/ntfy/')!.json;
  expect(ntfy).toMatchObject({
    topic: 'my-topic',
    title: 'deploy needs your input (confirm)',
    message: 'it asks: Deploy to production? [y/N]',
    actions: [],
  });
});

test('[NOTE-2, NOTE-3] a browser that has subscribed is told, encrypted, and answers with its pass', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { pushServices: [server.origin], on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const { headers } = await gateway.login();
  const browser = new PushSubscriber(server.origin, 'mine');
  const { publicKey } = JSON.parse((await gateway.ask('/api/push', { headers })).text) as { publicKey: string };
  expect(Buffer.from(publicKey, 'base64url')).toHaveLength(65);
  const made = await gateway.ask('/api/push', { headers, body: browser.subscription });
  expect([made.status, JSON.parse(made.text)]).toMatchObject([200, { service: server.origin }]);
  const client = await daemon.client();
  const { id } = await client.run({ command: asking(), name: 'deploy', size: PTY, env });
  await until('it is told', () => server.received.length === 1);
  const [{ headers: sent, body, path }] = server.received as [(typeof server.received)[0]];
  expect([path, sent['content-encoding'], sent.ttl]).toEqual(['/push/mine', 'aes128gcm', '3600']);
  expect(sent.authorization).toMatch(new RegExp(`^vapid t=[\\w.-]+, k=${publicKey}$`));
  expect(body.includes('production')).toBe(false);
  const pushed = browser.read(body);
  expect(pushed).toEqual({
    title: 'deploy needs your input (confirm)',
    body: 'it asks: Deploy to production? [y/N]',
    session: id,
    about: 'blocked',
    ask: expect.stringMatching(new RegExp(`^${id}-`)),
    actions: [
      { id: '0', label: 'yes' },
      { id: '1', label: 'no' },
    ],
    url: `./#/s/${id}`,
  });
  const answered = await gateway.ask(`/api/asks/${pushed.ask}`, { headers, body: { action: '1' } });
  expect([answered.status, JSON.parse(answered.text)]).toEqual([200, { isConfirmed: true }]);
  await seen(client, id, 'got <n>');
  expect((await gateway.ask(`/api/asks/${pushed.ask}`, { headers, body: { action: '0' } })).code).toBe(
    'QUESTION_CHANGED',
  );
  expect(statSync(`${daemon.home}/doors/push.json`).mode & 0o777).toBe(0o600);
});

test('[NOTE-2] only push services are written to, whatever a client names', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { pushServices: ['https://push.example.org'] });
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('viewer');
  const keys = (new PushSubscriber('', '').subscription as { keys: object }).keys;
  const subscribe = async (endpoint: string): Promise<number> =>
    (await gateway.ask('/api/push', { token, body: { endpoint, keys } })).status;
  for (const endpoint of [
    `${server.origin}/push`,
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://user:pass@fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://evilpush.apple.com.example/x',
    'https://notpush.services.mozilla.com.evil/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'http://push.example.org/x',
    'https://push.example.org:444/x',
    'file:///etc/passwd',
    'nothing',
  ])
    expect([endpoint, await subscribe(endpoint)]).toEqual([endpoint, 400]);
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
    'https://push.example.org/x',
  ])
    expect([endpoint, await subscribe(endpoint)]).toEqual([endpoint, 200]);
  for (const body of [
    { endpoint: 'https://web.push.apple.com/y', keys: { p256dh: 'AAAA', auth: 'AAAA' } },
    { endpoint: 'https://web.push.apple.com/y', keys: { ...keys, auth: 'AAAA' } },
    { endpoint: 'https://web.push.apple.com/y' },
  ])
    expect((await gateway.ask('/api/push', { token, body })).status).toBe(400);
});

test('[NOTE-2] a browser is told of the sessions that its token may see, until the token or the browser is gone', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { pushServices: [server.origin], on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  const tokens = {
    all: await gateway.token('viewer'),
    web: await gateway.token('prompter', '--label', 'team=web'),
    revoked: await gateway.token('owner'),
    gone: await gateway.token('viewer'),
  };
  const browsers: Record<string, PushSubscriber> = {};
  for (const [name, { token }] of Object.entries(tokens)) {
    browsers[name] = new PushSubscriber(server.origin, name);
    expect((await gateway.ask('/api/push', { token, body: browsers[name].subscription })).status).toBe(200);
  }
  await daemon.json('token', 'revoke', tokens.revoked.id);
  const toldTo = (): string[] => server.received.map(({ path }) => path.slice('/push/'.length)).sort();
  await client.run({ command: asking(), name: 'other', size: PTY, env, labels: { team: 'db' } });
  await until('those who may know are told', () => server.received.length === 2);
  expect(toldTo()).toEqual(['all', 'gone']);
  const told = server.received.find(({ path }) => path === '/push/all')!;
  expect(browsers['all']!.read(told.body)).toMatchObject({ actions: [] }); // a viewer may not answer
  server.received.length = 0;
  // A push service reports when a browser has unsubscribed.
  server.status = 410;
  await client.run({ command: asking(), name: 'site', size: PTY, env, labels: { team: 'web' } });
  await until('all who may know are told', () => server.received.length === 3);
  expect(toldTo()).toEqual(['all', 'gone', 'web']);
  await until('nobody is left', () => {
    const { subscriptions } = JSON.parse(readFileSync(`${daemon.home}/doors/push.json`, 'utf8')) as {
      subscriptions: object[];
    };
    return subscriptions.length === 0;
  });
});

test('[NOTE-2] a subscription is ended by its own token and by no other', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const [mine, other] = [await gateway.token('viewer'), await gateway.token('owner')];
  const { subscription } = new PushSubscriber('https://web.push.apple.com', 'x');
  const { id } = JSON.parse((await gateway.ask('/api/push', { token: mine.token, body: subscription })).text) as {
    id: string;
  };
  const end = async (token: string): Promise<number> =>
    (await gateway.ask(`/api/push/${id}`, { token, method: 'DELETE' })).status;
  const listed = async (token: string): Promise<unknown> =>
    (JSON.parse((await gateway.ask('/api/push', { token })).text) as { subscriptions: unknown }).subscriptions;
  expect([await listed(other.token), await end(other.token)]).toEqual([[], 404]);
  expect([await listed(mine.token), await end(mine.token)]).toMatchObject([[{ id }], 200]);
  expect([await listed(mine.token), await end(mine.token)]).toEqual([[], 404]);
});

interface NtfyAction {
  readonly label: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

test('[NOTE-3] the link in a notification gives one answer to one question, once, and opens nothing else', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { ntfy: `${server.origin}/my-topic`, actions: true, on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  const ask = async (name: string): Promise<readonly NtfyAction[]> => {
    server.received.length = 0;
    await client.run({ command: asking(), name, size: PTY, env });
    await until('it is told', () => server.received.length === 1);
    return server.received[0]!.json['actions'] as NtfyAction[];
  };
  const press = async ({ url, method, headers, body }: NtfyAction): Promise<number> =>
    (await gateway.ask(new URL(url).pathname, { method, headers, body })).status;
  const [yes, no] = (await ask('first')) as [NtfyAction, NtfyAction];
  expect([yes.label, no.label, new URL(yes.url).search]).toEqual(['yes', 'no', '']);
  const other = (await ask('second'))[0]!;
  // Another answer, another question, another route, another end of the signature.
  expect(await press({ ...yes, body: no.body })).toBe(401);
  expect(await press({ ...yes, url: other.url })).toBe(401);
  const forged = { ...yes.headers, authorization: `${yes.headers['authorization']!.slice(0, -4)}AAAA` };
  expect(await press({ ...yes, headers: forged })).toBe(401);
  for (const path of ['/api/sessions', '/api/me', '/api/push', '/api/sessions/first/screen'])
    expect([path, (await gateway.ask(path, { headers: yes.headers })).status]).toEqual([path, 401]);
  await expect(gateway.socket({ authorization: yes.headers['authorization']! })).rejects.toThrow('refused with 401');
  // Pressed twice at the same time, it counts once.
  const pressed = await Promise.all([press(yes), press(yes)]);
  expect(pressed.toSorted()).toEqual([200, expect.any(Number)]);
  expect(pressed.filter((status) => status === 200)).toHaveLength(1);
  await seen(client, 'first', 'got <y>');
  // The other answer to a question that is already answered.
  expect(await press(no)).toBe(409);
  expect((await client.screen('first')).content).not.toContain('got <n>');
});

test('[NOTE-3] a question that has changed is not answered, although the answers are called the same', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { ntfy: `${server.origin}/my-topic`, actions: true, on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  const script = 'read -p "Go on? [y/N] " a; read -p "Go on? [y/N] " b; echo "got <$a$b>"; exec sleep 1000';
  const { id } = await client.run({ command: ['bash', '-c', script], size: PTY, env });
  await until('it is told', () => server.received.length === 1);
  const [yes] = server.received[0]!.json['actions'] as [NtfyAction];
  await client.keys(id, ['n', 'Enter']);
  await until('it asks again', () => server.received.length === 2);
  const { url, method, headers, body } = yes;
  const answer = await gateway.ask(new URL(url).pathname, { method, headers, body });
  expect([answer.status, answer.code]).toEqual([409, 'QUESTION_CHANGED']);
  const [again] = server.received[1]!.json['actions'] as [NtfyAction];
  expect((await gateway.ask(new URL(again.url).pathname, { method, headers: again.headers, body })).status).toBe(200);
  await seen(client, id, 'got <ny>');
});

test('[NOTE-3] a link is used up by its first press, also where the question stays', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { ntfy: `${server.origin}/my-topic`, actions: true, on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  // No program reads the key, so the question stays.
  const script = 'stty -echo; printf "Go on? [y/N] "; exec sleep 1000';
  await client.run({ command: ['bash', '-c', script], size: PTY, env });
  await until('it is told', () => server.received.length === 1);
  const [{ url, headers, body }] = server.received[0]!.json['actions'] as [NtfyAction];
  const press = async (): Promise<readonly [number, string]> => {
    const { status, text } = await gateway.ask(new URL(url).pathname, { method: 'POST', headers, body });
    return [status, text];
  };
  expect(await press()).toEqual([200, '{"isConfirmed":false}']);
  expect((await press())[0]).toBe(401);
});
