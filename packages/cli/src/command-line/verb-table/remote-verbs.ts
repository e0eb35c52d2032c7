/** Verbs about other machines. */
import type { Verb } from '../arguments.ts';

export const REMOTE_VERBS = {
  node: {
    summary: 'use other machines as if their sessions were here',
    operands: ['add|invite|join|ls|remove|joined|leave|nats-key|nats-config', '[URL|NAME]', '[CODE|KEY=ROLE…]'],
    flags: {
      role: {
        kind: 'text',
        value: 'ROLE',
        words: ['viewer', 'prompter', 'operator', 'owner'],
        about:
          'invite: the rights of this machine on the node (default: operator). join: at most these rights (default: at most operator)',
      },
      name: {
        kind: 'text',
        value: 'NAME',
        about:
          'join: the name of this machine there (default: its host name). add: the name of the node (default: the host of URL)',
      },
      force: {
        kind: 'on',
        short: 'f',
        about: 'remove: also with the sessions of a node that was added by ssh, and if it is not reached',
      },
      'token-file': { kind: 'text', value: 'FILE', about: 'add: read the token from this file (default: from stdin)' },
      fleet: {
        kind: 'text',
        value: 'FLEET',
        about:
          'join, add, nats-config: the name of the fleet of a NATS server (default: main). remove: remove it with its nodes',
      },
      'seed-file': {
        kind: 'text',
        value: 'FILE',
        about: 'join, add, nats-key: the nkey seed of this machine at the NATS server (default: one that Spool makes)',
      },
      quiet: { kind: 'on', short: 'q', about: 'ls: print only the names' },
      expires: { kind: 'duration', value: 'DUR', about: 'invite: the time for which it can be used (default: 1h)' },
    },
    details: [
      '`invite` starts the gateway (`spool web`) and prints its address and a code, which one machine can use once. `join URL CODE`',
      'on that machine makes it a node of this one: its gateway dials URL, and reconnects whenever the connection breaks, so the node',
      'needs no address that others can reach. The rights go one way: the node gets none here. `ls` lists the nodes and `remove NAME` ends one;',
      'on a node, `joined` lists the machines that it serves and `leave NAME` ends that.',
      '',
      '`add URL` is for a machine whose gateway this one can reach: it is dialled with a token of that machine (`spool token create`',
      'there), which decides about the rights. `add ssh://[USER@]HOST[:PORT]` is for a machine with sshd alone: this installation is copied to',
      '~/.local/share/spool-node there, and the frames go through ssh. `remove` then removes it from there too.',
      '',
      'A fleet is many machines that reach each other through a NATS server. `nats-key` prints the key of a machine; `nats-config KEY=node',
      'KEY=operator …` prints the part of the configuration of the server that admits these machines, each as a node or with a role. `join nats://HOST:PORT`',
      'makes this machine a node of the fleet, and `add nats://HOST:PORT` adds all nodes of the fleet, now and later.',
      '',
      '`spool ls` then lists the sessions of all nodes. Every verb accepts NODE/ID, and --node NODE before or after the verb.',
    ].join('\n'),
    examples: [
      ['spool node invite', 'prints URL and code'],
      ['spool node join https://laptop.example CODE --name build1', 'on the other machine'],
      ['spool node add https://box.example --name box --token-file token', 'a machine whose gateway is in reach'],
      ['spool node add ssh://me@build.example', 'a machine with sshd alone'],
      ['spool node add nats://nats.example:4222', 'all machines of a fleet'],
      ['spool node ls', 'the nodes, and which are away'],
    ],
  },
  context: {
    summary: 'save other machines, and choose the one that commands go to',
    operands: ['add|use|ls|rm', '[NAME]', '[URL]'],
    flags: {
      quiet: { kind: 'on', short: 'q', about: 'ls: print only the names' },
      'token-file': {
        kind: 'text',
        value: 'FILE',
        about: 'add: read the token from this file (default: from stdin)',
      },
    },
    details: [
      '`add NAME URL` saves a machine whose gateway is at URL. `spool token create` on that machine makes the token. `use NAME`',
      'makes all commands go there, `use local` brings them back. For one command: spool --context NAME VERB, or',
      'spool --host URL --token-file FILE VERB (also SPOOL_HOST and SPOOL_TOKEN_FILE).',
      'On another machine, `run` starts in your home folder there, with your environment there; --env sends variables of yours.',
    ].join('\n'),
    examples: [
      ['spool context add work https://work.example --token-file token', 'save it'],
      ['spool context use work', 'from now on, all commands go there'],
      ['spool context use local', 'back to this machine'],
    ],
  },
} as const satisfies Record<string, Verb>;
