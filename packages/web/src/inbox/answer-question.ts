/** Answers the question of a program on its screen: the daemon presses the key only while the screen shows this question. */
import { type SessionInfo, SpoolError } from '@spool/client';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { noteOurs } from './answered-requests.ts';

/** Returns null when the question was answered, otherwise the reason why it was not. */
export async function answerQuestion(session: SessionInfo, option: string): Promise<string | null> {
  const { question } = session.status;
  if (question === undefined) return 'The question is gone.';
  noteOurs(session);
  try {
    const { isConfirmed } = await client.answer(session.id, { question, option });
    return isConfirmed ? null : 'The key was pressed, but the question is still there.';
  } catch (error) {
    if (SpoolError.is(error, 'QUESTION_CHANGED')) return 'Someone was faster, or the question has changed.';
    return sentenceOf(error);
  }
}
