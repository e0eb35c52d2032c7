/** Finds text in a conversation: older parts are read until there are enough matches, and each match leads to its card. Keeps CARD-11. */
import { visible } from '@spool/render';
import { useEffect, useState } from 'react';
import { addressOf } from '../shell/route.ts';
import type { AgentConversation } from './conversation.ts';
import { findEntries } from './find-entries.ts';

const SHOWN_MAX = 100;

interface FindCardsProps {
  readonly id: string;
  readonly conversation: AgentConversation;
  readonly onClose: () => void;
}

export function FindCards({ id, conversation, onClose }: FindCardsProps) {
  const [sought, setSought] = useState('');
  const { parts, hasOlder, isReadingOlder } = conversation.state;
  const found = sought === '' ? [] : findEntries(parts, sought, SHOWN_MAX);
  const isReading = sought !== '' && hasOlder && found.length < SHOWN_MAX;
  useEffect(() => {
    if (isReading && !isReadingOlder) void conversation.readOlder().catch(() => {});
  }, [conversation, isReading, isReadingOlder, parts.length]);
  return (
    <section className="find" aria-label="Find in the conversation">
      <div className="find-head">
        <input
          autoFocus
          className="search"
          type="search"
          placeholder="Find in the conversation"
          aria-label="Find in the conversation"
          value={sought}
          onChange={({ target }) => setSought(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
        />
        <span className="quiet" role="status">
          {sought === '' ? '' : summary(found.length, isReading)}
        </span>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <ol>
        {found.map(({ seq, excerpt }) => (
          <li key={seq}>
            <a className="one-line" href={addressOf({ page: 'session', id, view: 'terminal', event: seq })}>
              {visible(excerpt)}
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

function summary(count: number, isReading: boolean): string {
  if (isReading) return `${count} so far…`;
  if (count >= SHOWN_MAX) return `the latest ${count}`;
  return count === 0 ? 'nothing found' : count === 1 ? '1 card' : `${count} cards`;
}
