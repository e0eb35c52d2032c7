import { type SessionInfo, UNKNOWN_STATUS } from '@spool/protocol';
import { expect, test } from 'vitest';
import { groupQuestions } from './question-groups.ts';

const YES_NO = [
  { key: 'y Enter', label: 'yes' },
  { key: 'n Enter', label: 'no' },
];

const asks = (id: string, text: string, options = YES_NO): SessionInfo =>
  ({
    id,
    status: { ...UNKNOWN_STATUS, state: 'blocked', question: { text, options, subject: id } },
  }) as unknown as SessionInfo;

const requests = (id: string, request: object, count = 1): SessionInfo =>
  ({
    id,
    driver: { name: 'claude' },
    status: {
      ...UNKNOWN_STATUS,
      state: 'blocked',
      requests: Array.from({ length: count }, () => ({
        type: 'permission',
        tool: 'Bash',
        bytes: 10,
        options: [],
        ...request,
      })),
    },
  }) as unknown as SessionInfo;

const shown = (waiting: readonly SessionInfo[]): readonly string[] =>
  groupQuestions(waiting).map(({ sessions }) => sessions.map(({ id }) => id).join('+'));

test('[PAGE-70] three equal questions are one card, whatever they are about, and others stay alone, in their order', () => {
  const waiting = [
    asks('a', 'Continue?'),
    asks('b', 'Deploy?'),
    asks('c', 'Continue?'),
    asks('d', 'Continue?', [{ key: '1', label: 'Yes' }]),
    asks('e', 'Continue?'),
  ];
  expect(shown(waiting)).toEqual(['a+c+e', 'b', 'd']);
  expect(shown(waiting.slice(0, 3))).toEqual(['a', 'b', 'c']);
});

test('[PAGE-70] permissions of agents for the same tool are one card; a long, cut or further request is not in it', () => {
  const equal = ['a', 'b', 'c'].map((id) => requests(id, {}));
  expect(shown([...equal, requests('d', { tool: 'Write' })])).toEqual(['a+b+c', 'd']);
  expect(shown([...equal, requests('d', { bytes: 5_000 })])).toEqual(['a+b+c', 'd']);
  expect(shown([...equal, requests('d', { isCut: true })])).toEqual(['a+b+c', 'd']);
  expect(shown([...equal, requests('d', { type: 'question' })])).toEqual(['a+b+c', 'd']);
  expect(shown([...equal, requests('d', {}, 2)])).toEqual(['a+b+c', 'd']);
});
