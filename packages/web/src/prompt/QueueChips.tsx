/** The prompts that wait for their turn: each can be edited, moved to the front, sent at once or removed. */
import type { AgentHandle } from '@spool/client';
import { type PendingPrompt, visibleTitle } from '@spool/render';
import { useState } from 'react';

const TEXT_CHARACTERS_MAX = 200;

interface QueueProps {
  readonly agent: AgentHandle;
  readonly queue: readonly PendingPrompt[];
  readonly isWorking: boolean;
  readonly onTrouble: (error: unknown) => void;
}

export function QueueChips({ agent, queue, isWorking, onTrouble }: QueueProps) {
  const [edited, setEdited] = useState<PendingPrompt | null>(null);
  if (queue.length === 0) return null;
  const send = (command: Parameters<AgentHandle['command']>[0]): void => void agent.command(command).catch(onTrouble);
  return (
    <ul className="queue" aria-label="Queued prompts">
      {queue.map((prompt, at) => (
        <li key={prompt.clientId}>
          {edited?.clientId === prompt.clientId ? (
            <input
              autoFocus
              aria-label="Edit the queued prompt"
              value={edited.text}
              onChange={({ target }) => setEdited({ ...edited, text: target.value })}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setEdited(null);
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
                event.preventDefault();
                const content = [{ type: 'text' as const, text: edited.text }];
                send({ do: 'editPrompt', clientId: prompt.clientId, content });
                setEdited(null);
              }}
            />
          ) : (
            <span className="one-line" dir="auto">
              Queued: {visibleTitle(prompt.text, TEXT_CHARACTERS_MAX)}
            </span>
          )}
          <button type="button" className="button plain" onClick={() => setEdited(prompt)}>
            Edit
          </button>
          {at > 0 && (
            <button
              type="button"
              className="button plain"
              onClick={() => send({ do: 'movePrompt', clientId: prompt.clientId, before: queue[at - 1]!.clientId })}
            >
              Move up
            </button>
          )}
          {isWorking && (
            <button
              type="button"
              className="button plain"
              onClick={() => send({ do: 'sendPrompt', clientId: prompt.clientId })}
            >
              Send now
            </button>
          )}
          <button
            type="button"
            className="button plain"
            onClick={() => send({ do: 'cancelPrompt', clientId: prompt.clientId })}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}
