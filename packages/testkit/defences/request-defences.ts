/** The defences of requests and of their display: the place of each in the source, the code without it, and the test that notices. */
import type { Defence } from './defence.ts';

const COMMANDS = 'packages/drivers/src/ledger/commands.ts';
const LEDGER = 'packages/drivers/src/ledger/ledger.ts';
const VISIBLE = 'packages/protocol/src/visible-text.ts';
const REQUESTS_TEST = 'packages/drivers/src/requests.test.ts';
const VISIBLE_TEST = 'packages/protocol/src/visible-text.test.ts';

export const REQUEST_DEFENCES: readonly Defence[] = [
  {
    attack: 'a request that is allowed by an answer to another one',
    file: COMMANDS,
    find: 'if (command.digest !== undefined && command.digest !== ask.digest) return anotherRequest();',
    without: '',
    test: { file: REQUESTS_TEST, title: 'with the digest of another request, is refused' },
  },
  {
    attack: 'a request that is allowed by an answer that names no digest',
    file: COMMANDS,
    find: "  if (digest === undefined)\n    return { code: 'invalid', message: 'allowing needs",
    without: "  if (false)\n    return { code: 'invalid', message: 'allowing needs",
    test: { file: REQUESTS_TEST, title: 'to allow without a digest' },
  },
  {
    attack: 'a request of which a part cannot be shown, and is allowed',
    file: COMMANDS,
    find: "  if (ask.isCut)\n    return { code: 'invalid', message: 'the request is too large",
    without: "  if (false)\n    return { code: 'invalid', message: 'the request is too large",
    test: { file: REQUESTS_TEST, title: 'too large to be kept whole can only be denied' },
  },
  {
    attack: 'a request that is too large and does not say that it is cut',
    file: LEDGER,
    find: 'const isTooLarge = isCut || this.isLineCut || print.bytes > REQUEST_BYTES_MAX;',
    without: 'const isTooLarge = isCut || this.isLineCut;',
    test: { file: REQUESTS_TEST, title: 'too large to be kept whole can only be denied' },
  },
  {
    attack: 'a request whose line was cut and that does not say so',
    file: LEDGER,
    find: 'const isTooLarge = isCut || this.isLineCut || print.bytes > REQUEST_BYTES_MAX;',
    without: 'const isTooLarge = isCut || print.bytes > REQUEST_BYTES_MAX;',
    test: { file: 'tests/agent-runs.test.ts', title: 'no rule answers a line that is cut' },
  },
  {
    attack: 'a second request under the id of one that is open',
    file: LEDGER,
    find: 'if (!open && !this.state.resolved.some(',
    without: 'if (!this.state.resolved.some(',
    test: { file: REQUESTS_TEST, title: 'a second request under the same id' },
  },
  {
    attack: 'a second request under the id of one that was answered',
    file: LEDGER,
    find: 'if (!open && !this.state.resolved.some((known) => known.request === request)) return true;',
    without: 'if (!open) return true;',
    test: { file: REQUESTS_TEST, title: 'the id of a request that was answered' },
  },
  {
    attack: 'a flood of requests that wait',
    file: LEDGER,
    find: 'if (waiting.length >= REQUESTS_OPEN_MAX || bytes > REQUESTS_BYTES_MAX)',
    without: 'if (bytes > REQUESTS_BYTES_MAX)',
    test: { file: REQUESTS_TEST, title: 'further requests than can wait are denied' },
  },
  {
    attack: 'an option that allows more than this time, chosen by "allow"',
    file: COMMANDS,
    find: "const once = options.filter(({ kind }) => kind === 'allow_once');",
    without: "const once = options.filter(({ kind }) => kind.startsWith('allow')).slice(0, 1);",
    test: { file: REQUESTS_TEST, title: 'never chosen by behaviour' },
  },
  {
    attack: 'an option of unknown meaning that is taken without a digest',
    file: COMMANDS,
    find: "if (isAllowed || option?.kind === 'other') {",
    without: 'if (isAllowed) {',
    test: { file: REQUESTS_TEST, title: 'an option of unknown meaning counts as one that allows' },
  },
  {
    attack: 'control characters and marks of direction that act on a terminal',
    file: VISIBLE,
    find: '.replaceAll(spelled, (character, at: number) => (isWriting(character, at, text) ? character : spell(character)))',
    without: '',
    test: { file: VISIBLE_TEST, title: 'every character that comes out can be seen' },
  },
  {
    attack: 'combining marks without end, which paint over other lines',
    file: VISIBLE,
    find: '.replaceAll(marks, spell)',
    without: '.toString()',
    test: { file: VISIBLE_TEST, title: 'as are marks without end' },
  },
  {
    attack: 'a joiner that hides between letters',
    file: VISIBLE,
    find: 'return joinsBefore.test(before) && joinsAfter.test(text.slice(at + 1, at + 3));',
    without: 'return true;',
    test: { file: VISIBLE_TEST, title: 'a joiner between letters that do not join' },
  },
  {
    attack: 'a line break in a title that reads as a blank',
    file: VISIBLE,
    find: "    .join(' ⏎ ');",
    without: "    .join(' ');",
    test: { file: VISIBLE_TEST, title: 'a line break in a title never reads as a blank' },
  },
];
