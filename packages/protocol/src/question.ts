/** The question of a blocked session, in words. */
import type { MessageOf } from './message-type.ts';
import type { QUESTION } from './schemas/status.ts';

export type Question = MessageOf<typeof QUESTION>;
export type QuestionOption = Question['options'][number];

/** Returns one line for users: `Do you want to proceed? touch a.txt`. A subject that is part of the question is not repeated. */
export function questionLine({ text, subject }: Question): string {
  if (subject === undefined || text.includes(subject)) return text;
  return `${text}${/[?:]$/.test(text) ? '' : ':'} ${subject}`;
}

/** Returns the question in a sentence: `claude asks: Do you want to proceed? touch a.txt`; null if it is unknown. */
export function askingSentence(agent: string | null, question: Question | undefined): string | null {
  if (question === undefined) return null;
  return `${agent === null || agent === 'shell' ? 'it' : agent} asks: ${questionLine(question)}`;
}
