/** The manual page, generated from the table of verbs. Keeps INST-1. */
import { COMMON_FLAGS, type Flag, type Verb } from '../command-line/arguments.ts';
import { VERBS } from '../command-line/verb-table.ts';
import { paragraphs } from '../command-line/wrapped-text.ts';

/** Returns the page in the language of man(7). */
export function manPage(version: string): string {
  return [
    `.TH SPOOL 1 "" "spool ${version}" "Spool"`,
    '.SH NAME',
    'spool \\- terminal sessions that keep running when you disconnect, with their complete output',
    '.SH SYNOPSIS',
    '.B spool',
    '.I VERB',
    '[FLAGS] …',
    '.SH VERBS',
    ...Object.entries(VERBS as Readonly<Record<string, Verb>>).flatMap(([name, verb]) => verbPart(name, verb)),
    '.SH FLAGS OF EVERY VERB',
    ...Object.entries(COMMON_FLAGS as Readonly<Record<string, Flag>>).flatMap(flagPart),
    '',
  ].join('\n');
}

function verbPart(name: string, verb: Verb): string[] {
  return [
    `.SS ${text(`spool ${[name, ...verb.operands].join(' ')}`)}`,
    text(`${verb.summary}.`),
    ...Object.entries(verb.flags).flatMap(flagPart),
    ...paragraphs(verb.details ?? '').flatMap((paragraph) => ['.PP', text(paragraph)]),
    ...verb.examples.flatMap(([command, says]) => ['.PP', `.nf`, text(`    ${command}`), '.fi', text(says)]),
  ];
}

function flagPart([long, { short, value, about }]: readonly [string, Flag]): string[] {
  const head = `${short ? `-${short}, ` : ''}--${long}${value ? ` ${value}` : ''}`;
  return ['.TP', `.B ${text(head)}`, text(about)];
}

/** Escapes the characters with a meaning in manual pages: backslashes, hyphens, and a dot or quote at the start of a line. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
