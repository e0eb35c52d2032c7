/** The box for a prompt. Enter sends it, Shift+Enter begins a line. A prompt that could not be sent comes back. */
import type { AgentHandle } from '@spool/client';
import { type Transcript, visibleTitle } from '@spool/render';
import { useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';

const QUEUED_CHARACTERS_MAX = 200;
const ROWS_MAX = 8;

interface PromptProps {
  readonly agent: AgentHandle;
  readonly name: string;
  readonly transcript: Transcript;
}

export function PromptBox({ agent, name, transcript }: PromptProps) {
  const [text, setText] = useState('');
  const [sending, setSending] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const send = (): void => {
    if (text.trim() === '' || sending !== null) return;
    setSending(text);
    setText('');
    setTrouble(null);
    agent
      .prompt(text)
      .catch((error: unknown) => {
        setTrouble(sentenceOf(error));
        setText((now) => (now === '' ? text : `${text}\n${now}`));
      })
      .finally(() => setSending(null));
  };
  const { queue, isWorking } = transcript;
  return (
    <form
      className="prompt-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {queue.map(({ clientId, text: queued }) => (
        <p key={clientId} className="queued quiet one-line" dir="auto">
          next: {visibleTitle(queued, QUEUED_CHARACTERS_MAX)}
        </p>
      ))}
      {trouble !== null && <p role="alert">{trouble}</p>}
      <div className="prompt-line">
        <textarea
          aria-label={`Prompt for ${name}`}
          placeholder={isWorking ? 'Next prompt' : 'Write a prompt'}
          rows={Math.min(ROWS_MAX, text.split('\n').length)}
          value={text}
          dir="auto"
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button type="submit" className="button primary" disabled={text.trim() === '' || sending !== null}>
          Send
        </button>
        {isWorking && (
          <button
            type="button"
            className="button danger"
            onClick={() => void agent.interrupt().catch((error: unknown) => setTrouble(sentenceOf(error)))}
          >
            Interrupt
          </button>
        )}
      </div>
    </form>
  );
}
