import { expect, test } from 'vitest';
import { sessionWith } from '../watch/fixture.ts';
import { sessionTemplate } from './template.ts';

const SESSION = sessionWith(
  'abc',
  { name: 'evil\x1b[2J\n', labels: { team: 'web', 'a.b': 'dotted' }, exitCode: null, command: ['sh', '-c', 'a b'] },
  { state: 'idle', kind: 'prompt', activity: 'waits' },
);

test.each([
  ['{{.id}} {{ .status.state }}', 'abc idle'],
  ['{{.name}}', 'evil\\e[2J\\n'],
  ['{{.labels.team}}\\t{{.labels.none}}|{{.labels.a.b}}\\n', 'web\t|dotted\n'],
  ['{{.state}}={{.exitCode}}', 'running='],
  ['{{.age}} {{.activity}} {{.command}}', "1m waits sh -c 'a b'"],
  [
    '{{json .labels}} {{json .command}} {{.size}}',
    '{"team":"web","a.b":"dotted"} ["sh","-c","a b"] {"cols":80,"rows":24}',
  ],
  ['{{json .labels.none}}', 'null'],
])('[LIST-6] --format %j', (template, line) => expect(sessionTemplate(template)(SESSION, 61_000)).toBe(line));

test('[LIST-6] {{json .}} is the whole session', () => {
  expect(JSON.parse(sessionTemplate('{{json .}}')(SESSION, 0))).toEqual(SESSION);
});

test.each([
  ['names', '--format "names" has no field; use {{.id}}, json or table'],
  ['{{id}}', '--format: {{id}} is not a field; use {{.name}}'],
  ['{{.nome}}', '--format: a session has no field "nome"; the fields are id, name'],
  ['{{.}}', '--format: a session has no field ""'],
])('[LIST-6] --format %j is refused with what to write', (template, message) => {
  expect(() => sessionTemplate(template)).toThrow(message);
});
