/** Resumes an agent that has ended, in a new session, when the user asks for it (`spool resume`). Keeps PAGE-42. */
import type { SessionInfo } from '@spool/client';
import { useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { pageId, placeOf } from '../link/session-place.ts';
import { go } from '../shell/route.ts';

export function ResumeBox({ session }: { readonly session: SessionInfo }) {
  const [text, setText] = useState('');
  const [isStarting, setStarting] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const resume = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    setStarting(true);
    setTrouble(null);
    try {
      const { id } = await client.resumeAgent(session.id, text.trim() === '' ? {} : { prompt: text });
      go({ page: 'session', id: pageId(placeOf(session.id).node, id), view: 'terminal' });
    } catch (error) {
      setTrouble(sentenceOf(error));
      setStarting(false);
    }
  };
  return (
    <form className="prompt-box" aria-label={`Resume ${session.name}`} onSubmit={(event) => void resume(event)}>
      <p className="quiet">This agent has ended. Resume it in a new session with its full context.</p>
      {trouble !== null && <p role="alert">{trouble}</p>}
      <div className="prompt-line">
        <textarea
          aria-label={`Prompt to resume ${session.name} with`}
          placeholder="Next prompt, if there is one"
          rows={1}
          value={text}
          dir="auto"
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button primary" disabled={isStarting}>
          Resume
        </button>
      </div>
    </form>
  );
}
