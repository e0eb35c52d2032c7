/** Verbs about the gateway and the tokens that open it. */
import type { Verb } from '../arguments.ts';

export const GATEWAY_VERBS = {
  web: {
    summary: 'open the sessions in a browser, and to programs, over HTTP and WebSocket',
    operands: ['[start|status|stop|trust]'],
    flags: {
      port: {
        kind: 'whole',
        value: 'PORT',
        most: 65_535,
        about: 'listen on this port (default: 7733, or the next free one)',
      },
      host: { kind: 'text', value: 'ADDRESS', about: 'listen on this address (default: 127.0.0.1); others need TLS' },
      'tls-cert': { kind: 'text', value: 'FILE', about: 'serve HTTPS with this certificate (PEM, with its chain)' },
      'tls-key': { kind: 'text', value: 'FILE', about: 'the private key of the certificate (PEM)' },
      tls: {
        kind: 'text',
        value: 'own',
        words: ['own', 'self-signed'],
        about: "serve HTTPS with a certificate of Spool's own CA (own) or a self-signed one",
      },
      tailscale: { kind: 'on', about: 'serve it to your devices through Tailscale, which must be installed' },
      'public-url': {
        kind: 'text',
        value: 'URL',
        about: 'the address at which a proxy or tunnel serves it, such as https://spool.example.org/base',
      },
      'trust-proxy': {
        kind: 'text',
        value: 'ADDRESS',
        many: true,
        about: 'believe X-Forwarded-For and -Host from this address or range (repeatable)',
      },
      'base-path': { kind: 'text', value: 'PATH', about: 'the path below which a proxy serves it, such as /spool' },
      qr: { kind: 'on', about: 'show the link as a QR code, for a phone' },
      'no-open': { kind: 'on', about: 'do not open a browser' },
    },
    details: [
      '`web` starts the gateway if it does not run, prints a link that logs a browser in (once, within a minute) and opens it. The',
      'gateway runs as long as the daemon. `stop` closes it: sessions keep running. `trust` explains how to make a device trust the CA of Spool.',
      'Programs use a token: see spool token.',
    ].join('\n'),
    examples: [
      ['spool web', 'your sessions in a browser'],
      ['spool web --host 192.168.1.7 --tls own --qr', 'on your phone, in your own network'],
      ['spool web --no-open --json', 'print the link for another program'],
      ['spool web stop', 'close the gateway'],
    ],
  },
  token: {
    summary: 'create, list or revoke the tokens that open the gateway',
    operands: ['create|ls|revoke', '[TOKEN…]'],
    flags: {
      role: {
        kind: 'text',
        value: 'ROLE',
        words: ['viewer', 'prompter', 'operator', 'owner'],
        about: 'create: viewer, prompter, operator or owner (default: viewer)',
      },
      name: { kind: 'text', value: 'NAME', short: 'n', about: 'create: its name, shown where it is used' },
      session: { kind: 'text', value: 'ID', many: true, about: 'create: only for this session (repeatable)' },
      label: {
        kind: 'text',
        value: 'KEY=VALUE',
        short: 'l',
        many: true,
        about: 'create: only for sessions with this label',
      },
      expires: { kind: 'age', value: 'AGE', about: 'create: valid for this time (default: until revoked)' },
    },
    details: [
      'A viewer reads; a prompter also answers questions and sends prompts; an operator does everything with sessions; an owner also',
      'has the daemon, its gateway and its tokens. `create` prints the token; it is shown once, and only its hash is stored.',
      '`revoke` takes ids, or names, and closes what was opened with them.',
    ].join('\n'),
    examples: [
      ['spool token create --role viewer --name dashboard', 'for a program that only reads'],
      ['spool token create --role operator --label team=web --expires 30d', 'for some sessions, for some time'],
      ['spool token revoke dashboard', ''],
    ],
  },
  share: {
    summary: 'make a link that shows one session to another person',
    operands: ['ID'],
    flags: {
      role: {
        kind: 'text',
        value: 'ROLE',
        words: ['viewer', 'prompter'],
        about: 'viewer or prompter; a prompter may also answer questions and send prompts (default: viewer)',
      },
      expires: {
        kind: 'age',
        value: 'AGE',
        about: 'how long the link, and every login made with it, is valid (default: 1h)',
      },
      uses: { kind: 'whole', value: 'N', most: 1_000_000, about: 'how many browsers it can log in (default: 1)' },
      from: {
        kind: 'text',
        value: 'now',
        words: ['now'],
        about: 'show nothing from before now: no history, no search',
      },
    },
    details: [
      'The link starts the gateway. It shows this session and no other, without its command line, its folder and the names of other',
      'clients. `spool token ls` lists the links and the browsers that used them; `spool token revoke` ends a link with all of them.',
    ].join('\n'),
    examples: [
      ['spool share build', 'one browser may watch it for an hour'],
      ['spool share claude --role prompter --expires 1d --uses 3', 'three may answer its questions for a day'],
    ],
  },
  audit: {
    summary: 'show or verify the audit log of the gateway',
    operands: ['[verify]'],
    flags: {},
    details: [
      'The log has logins, refused tokens, and every request that changed something: who sent it, what it did, and to which session. Each',
      'line holds the hash of the line before. `verify` checks this chain: the exit code is 1 if a line was changed or removed.',
    ].join('\n'),
    examples: [
      ['spool audit', 'the oldest first'],
      ['spool audit verify', ''],
    ],
  },
} as const satisfies Record<string, Verb>;
