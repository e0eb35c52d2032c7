/**
 * The box for a prompt. Enter sends it, Shift+Enter begins a line, Escape interrupts the turn. A prompt that could not be sent
 * comes back to the box; an unsent one survives a reload. Keeps PAGE-57, CARD-8 and CARD-9.
 */
import type { AgentHandle } from '@spool/client';
import type { Transcript } from '@spool/render';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { completed, completionPlace } from './completion.ts';
import { keepDraft, readDraft } from './drafts.ts';
import { imagesFrom, type PromptImagePart } from './images.ts';
import { QueueChips } from './QueueChips.tsx';
import { SwitchButtons } from './SwitchButtons.tsx';
import type { AgentTalk } from './talk.ts';
import { useCompletion } from './use-completion.ts';

interface PromptProps {
  readonly talk: AgentTalk;
  /** The driver, which has a queue and takes images; null for an agent in its terminal. */
  readonly agent: AgentHandle | null;
  readonly id: string;
  readonly name: string;
  readonly transcript: Transcript;
  readonly isWorking: boolean;
  /** The earlier prompts, the last one first. */
  readonly history: () => readonly string[];
  /** A number; each change of it moves the focus to the box. */
  readonly focusCount: number;
}

export function PromptBox({ talk, agent, id, name, transcript, isWorking, history, focusCount }: PromptProps) {
  const [text, setText] = useState(() => readDraft(id));
  const [images, setImages] = useState<readonly PromptImagePart[]>([]);
  const [isSending, setSending] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [isListHidden, setListHidden] = useState(false);
  const [back, setBack] = useState(-1);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const place = isListHidden ? null : completionPlace(text, caret);
  const candidates = useCompletion(id, place, transcript.commands);
  useGrowing(field, text);
  useEffect(() => {
    if (focusCount > 0) field.current?.focus();
  }, [focusCount]);

  const write = (next: string, at = next.length): void => {
    setText(next);
    keepDraft(id, next);
    setCaret(at);
    setChosen(0);
    setListHidden(false);
    // The caret is set once the field has the text.
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
  };
  const onTrouble = (error: unknown): void => setTrouble(sentenceOf(error));
  const attach = (files: readonly File[]): void => {
    if (agent === null) return setTrouble('An agent in its terminal takes no images here: drop them on the terminal.');
    setTrouble(null);
    imagesFrom(files, images).then((made) => setImages((now) => [...now, ...made]), onTrouble);
  };
  const isEmpty = text.trim() === '' && images.length === 0;
  const send = (): void => {
    if (isEmpty || isSending) return;
    const [sent, sentImages] = [text, images];
    setSending(true);
    setText('');
    keepDraft(id, '');
    setImages([]);
    setBack(-1);
    setTrouble(null);
    const words = sent.trim() === '' ? [] : [{ type: 'text' as const, text: sent }];
    talk
      .prompt(sentImages.length === 0 ? sent : [...words, ...sentImages])
      .catch((error: unknown) => {
        onTrouble(error);
        setImages((now) => [...sentImages, ...now]);
        setText((now) => {
          const whole = now === '' ? sent : `${sent}\n${now}`;
          keepDraft(id, whole);
          return whole;
        });
      })
      .finally(() => setSending(false));
  };
  const complete = (candidate: string): void => {
    const next = completed(text, caret, place!, candidate);
    write(next.text, next.caret);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    const isListed = candidates.length > 0;
    const take = (act: () => void): void => {
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (isListed && step !== 0) take(() => setChosen((chosen + step + candidates.length) % candidates.length));
    else if (isListed && (event.key === 'Tab' || (event.key === 'Enter' && candidates[chosen] !== place?.word)))
      take(() => complete(candidates[chosen]!));
    else if (isListed && event.key === 'Escape') take(() => setListHidden(true));
    else if (event.key === 'Enter' && !event.shiftKey) take(send);
    else if (step !== 0 && (text === '' || back >= 0) && (step === -1 || back >= 0)) take(() => turnBack(back - step));
    // Escape without a list interrupts: the view of the agent handles it.
  };
  const turnBack = (to: number): void => {
    const earlier = history();
    if (to >= earlier.length) return;
    setBack(Math.max(-1, to));
    write(to < 0 ? '' : earlier[to]!);
  };
  return (
    <form
      className="prompt-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer.files.length > 0) attach([...event.dataTransfer.files]);
      }}
    >
      {agent !== null && <QueueChips {...{ agent, isWorking, onTrouble }} queue={transcript.queue} />}
      {trouble !== null && <p role="alert">{trouble}</p>}
      {images.length > 0 && <Images images={images} onRemove={(at) => setImages(images.toSpliced(at, 1))} />}
      <div className="prompt-frame">
        {candidates.length > 0 && (
          <ul className="candidates" role="listbox" id="prompt-candidates" aria-label="Completions">
            {candidates.map((candidate, at) => (
              <li
                key={candidate}
                role="option"
                id={`prompt-candidate-${at}`}
                aria-selected={at === chosen}
                onPointerDown={(event) => {
                  event.preventDefault();
                  complete(candidate);
                }}
              >
                {place?.type === 'command' ? '/' : '@'}
                {candidate}
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={field}
          aria-label={`Prompt for ${name}`}
          aria-controls={candidates.length > 0 ? 'prompt-candidates' : undefined}
          aria-activedescendant={candidates.length > 0 ? `prompt-candidate-${chosen}` : undefined}
          placeholder={isWorking ? 'Queue the next prompt' : 'Write a prompt · / commands · @ files'}
          rows={1}
          value={text}
          dir="auto"
          onChange={({ target }) => {
            setBack(-1);
            write(target.value, target.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            attach(files);
          }}
          onKeyDown={onKeyDown}
        />
        <div className="prompt-line">
          {agent !== null && (
            <button
              type="button"
              className="button plain"
              aria-label="Attach image"
              onClick={() => picker.current!.click()}
            >
              Image
            </button>
          )}
          <input
            ref={picker}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple
            hidden
            aria-label="Images"
            onChange={({ target }) => {
              attach([...(target.files ?? [])]);
              target.value = '';
            }}
          />
          {agent !== null && <SwitchButtons {...{ agent, transcript, onTrouble }} />}
          <span className="prompt-actions">
            {isWorking && (
              <button
                type="button"
                className="button danger"
                title="Escape"
                onClick={() => void talk.interrupt().catch(onTrouble)}
              >
                Interrupt
              </button>
            )}
            <button type="submit" className="button primary" disabled={isEmpty || isSending}>
              {isWorking ? 'Queue' : 'Send'}
            </button>
          </span>
        </div>
      </div>
    </form>
  );
}

function Images({
  images,
  onRemove,
}: {
  readonly images: readonly PromptImagePart[];
  readonly onRemove: (at: number) => void;
}) {
  return (
    <ul className="prompt-images" aria-label="Attached images">
      {images.map(({ mime, data }, at) => (
        <li key={at}>
          <img src={`data:${mime};base64,${data}`} alt={`Image ${at + 1}`} />
          <button
            type="button"
            className="button plain"
            aria-label={`Remove image ${at + 1}`}
            onClick={() => onRemove(at)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Lets the field grow with its text; the style sheet has the maximum. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current!;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
