/** The cards of texts: a user's prompt, an agent's message, and its thoughts. */
import { longDuration } from '@spool/protocol/duration';
import { type PromptEntry, type TranscriptEntry, visible, visibleTitle } from '@spool/render';
import { useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { Fold } from './Fold.tsx';
import { Markdown } from './Markdown.tsx';

const WHO_CHARACTERS_MAX = 80;
/** The lines and characters of a prompt that are shown at first. */
const PROMPT_LINES = 24;
const PROMPT_CHARACTERS = 4_000;
/** The formats that every browser shows; others are named. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type TextEntry<K extends TranscriptEntry['kind']> = Extract<TranscriptEntry, { readonly kind: K }>;

export function PromptCard({ entry }: { readonly entry: TranscriptEntry & PromptEntry }) {
  const [isFull, setFull] = useState(false);
  const lines = entry.words.split(/\r\n|\n/);
  const shown = isFull
    ? lines
    : entry.words
        .slice(0, PROMPT_CHARACTERS)
        .split(/\r\n|\n/)
        .slice(0, PROMPT_LINES);
  const isCut = shown.length < lines.length || (!isFull && entry.words.length > PROMPT_CHARACTERS);
  const notes = [
    ...(entry.who === undefined ? [] : [visibleTitle(entry.who, WHO_CHARACTERS_MAX)]),
    ...(entry.isSteering ? ['sent into the running turn'] : []),
  ];
  return (
    <article className="card prompt-card" data-event-seq={entry.place.seq} aria-label="Prompt">
      {notes.length > 0 && <p className="card-note">{notes.join(' · ')}</p>}
      <div className="bubble" dir="auto">
        {shown.map((line) => visible(line.replaceAll('\t', '    '))).join('\n')}
        {entry.images.map(({ mime, data }, at) =>
          IMAGES.has(mime) && data !== undefined && BASE64.test(data) ? (
            <img key={at} src={`data:${mime};base64,${data}`} alt={`Image ${at + 1} of the prompt`} />
          ) : (
            <span key={at} className="quiet">
              {'\n'}[image {visible(mime.slice(0, 60))}]
            </span>
          ),
        )}
        {isCut && (
          <button type="button" className="button plain" onClick={() => setFull(true)}>
            {lines.length > PROMPT_LINES
              ? `Show all ${lines.length} lines`
              : `Show all ${entry.words.length.toLocaleString()} characters`}
          </button>
        )}
      </div>
    </article>
  );
}

export function MessageCard({ entry }: { readonly entry: TextEntry<'message' | 'thinking'> }) {
  const text = entry.text.toString();
  return (
    <article
      className="card message-card"
      data-event-seq={entry.place.seq}
      data-error={entry.isError || undefined}
      aria-label="Message"
    >
      <Markdown text={text} />
      {entry.isDone && <CopyButton text={() => entry.text.toString()} label="Copy the message" />}
    </article>
  );
}

export function ThinkingCard({
  entry,
  isPast,
}: {
  readonly entry: TextEntry<'message' | 'thinking'>;
  readonly isPast: boolean;
}) {
  const { isDone, durationMs } = entry;
  const isThinking = !isDone && !isPast;
  return (
    <article className="card thinking-card" data-event-seq={entry.place.seq} aria-label="Thoughts">
      <Fold
        className="thinking-fold"
        isOpen={isThinking}
        head={
          isThinking
            ? 'Thinking…'
            : durationMs === undefined || durationMs < 1_000
              ? 'Thought'
              : `Thought for ${longDuration(durationMs)}`
        }
      >
        {() => (
          <p className="thoughts" dir="auto">
            {entry.text.toString().trim().split('\n').map(visible).join('\n')}
          </p>
        )}
      </Fold>
    </article>
  );
}
