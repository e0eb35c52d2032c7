/** A permission or a question, and what became of it. */
import { type Line, type Look, span } from '../lines.ts';
import type { Asked, AskEntry, AskOutcome } from '../transcript/entries.ts';
import { subjectOf } from '../transcript/transcript.ts';
import { visibleLines, visibleTitle } from '../visible-text.ts';
import { wrap } from '../wrap.ts';
import { diffLines } from './diff-lines.ts';
import { folded } from './fold.ts';

type Permission = Extract<Asked, { readonly kind: 'permission.requested' }>;

const TITLE_CHARACTERS_MAX = 500;
const SUBJECT_LINES = 6;
const ASK: Look = { tone: 'ask', bold: true };
const FAINT: Look = { dim: true };

/** The whole request: what, on which subject, why, the changes. */
export function askLines(ask: Asked, width: number, isFull: boolean): Line[] {
  if (ask.kind === 'question.asked')
    return ask.questions.flatMap((question) => [
      ...wrap([span(visibleTitle(question.text, TITLE_CHARACTERS_MAX), ASK)], width, {
        first: [span('? ', ASK)],
        rest: [span('  ')],
      }),
      ...question.options.flatMap(({ label, description }, at) =>
        wrap(
          [
            span(visibleTitle(label, TITLE_CHARACTERS_MAX)),
            span(description === undefined ? '' : `  ${visibleTitle(description, TITLE_CHARACTERS_MAX)}`, FAINT),
          ],
          width,
          {
            first: [span(`  ${at + 1}. `)],
            rest: [span('     ')],
          },
        ),
      ),
    ]);
  return [
    ...wrap([span(permissionTitle(ask), ASK)], width, { first: [span('? ', ASK)] }),
    ...permissionLines(ask, width, isFull, '  '),
  ];
}

export function permissionTitle({ name }: Permission): string {
  return `Allow ${visibleTitle(name ?? 'this', TITLE_CHARACTERS_MAX)}?`;
}

/** What a permission is about: the subject, why, the changes. */
export function permissionLines(ask: Permission, width: number, isFull: boolean, indent = ''): Line[] {
  const subject = subjectOf(ask.input) ?? withoutName(ask.title ?? '', ask.name ?? '');
  const first = [span(indent)];
  const body = visibleLines(subject).flatMap((line) => wrap([span(line, { tone: 'code' })], width, { first }));
  const lines = isFull ? body : folded(body, SUBJECT_LINES, 1, indent);
  const { reason } = ask;
  if (reason !== undefined && reason !== '' && !subject.endsWith(reason))
    lines.push(...wrap([span(visibleTitle(reason, TITLE_CHARACTERS_MAX), FAINT)], width, { first }));
  for (const diff of ask.diffs ?? []) lines.push(...diffLines(diff, width, isFull, 'applied'));
  return lines;
}

export function askEntryLines({ ask, outcome }: AskEntry, width: number, isFull: boolean): Line[] {
  if (outcome === null) return askLines(ask, width, isFull);
  return outcomeLines(ask, outcome, width);
}

export function byWords({ who, isPolicy }: AskOutcome): string {
  return who === undefined ? '' : ` by ${visibleTitle(who, isPolicy ? 200 : 60)}`;
}

/** `✓ allowed by kim: Bash npm test`. */
export function outcomeLines(ask: Asked, outcome: AskOutcome, width: number): Line[] {
  const { decision, message } = outcome;
  const isGood = decision === 'allow' || decision === 'answered';
  const what =
    ask.kind === 'question.asked'
      ? visibleTitle(ask.questions[0]?.text ?? 'a question', 80)
      : visibleTitle(ask.title ?? ask.name ?? 'a request', 80);
  const by = byWords(outcome);
  const said = message === undefined || message === '' ? '' : ` “${visibleTitle(message, 300)}”`;
  return wrap(
    [
      span(`${WORDS[decision]}${by}`, isGood ? { tone: 'ok' } : { tone: 'error' }),
      span(` · ${what}`, FAINT),
      span(said),
    ],
    width,
    { first: [span(isGood ? '✓ ' : '✗ ', isGood ? { tone: 'ok' } : { tone: 'error' })], rest: [span('  ')] },
  );
}

const WORDS: Readonly<Record<AskOutcome['decision'], string>> = {
  allow: 'allowed',
  deny: 'denied',
  cancelled: 'withdrawn',
  error: 'failed',
  answered: 'answered',
  declined: 'declined',
};

/** `Bash: npm test` is about `npm test`. */
export function withoutName(title: string, name: string): string {
  const prefix = [`${name}: `, `${name} `].find((each) => name !== '' && title.startsWith(each));
  return prefix === undefined ? title : title.slice(prefix.length);
}
