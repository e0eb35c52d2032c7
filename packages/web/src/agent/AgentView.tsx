/**
 * The conversation with an agent as cards, its request above the box for the next prompt, and the box. Keeps PAGE-15, PAGE-57 and
 * CARD-1.
 */
import type { SessionInfo } from '@spool/client';
import { isAskedByAgent } from '@spool/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ConversationLog } from '../cards/ConversationLog.tsx';
import { CopyButton } from '../cards/CopyButton.tsx';
import { PromptBox } from '../prompt/PromptBox.tsx';
import { typedTalk } from '../prompt/talk.ts';
import { conditionOf, CONDITION_WORDS } from '../state/condition.ts';
import { AgentAsks } from './AgentAsks.tsx';
import { conversationMarkdown } from './conversation-markdown.ts';
import { FindCards } from './FindCards.tsx';
import { ResumeBox } from './ResumeBox.tsx';
import { RunPanel } from './RunPanel.tsx';
import { useAgent } from './use-agent.ts';

interface AgentViewProps {
  readonly session: SessionInfo;
  /** The card that the address leads to, by the number of its event. */
  readonly event?: number | undefined;
  /**
   * Whether the agent's terminal is shown beside the cards: it takes the prompts, and shows questions that are only on the screen.
   */
  readonly isBesideTerminal?: boolean;
  /** Whether the panes show the past, which has no prompt. */
  readonly isPast?: boolean;
  /** Closes the search in the conversation; null if it is closed. */
  readonly onCloseFind?: (() => void) | null;
}

export function AgentView(props: AgentViewProps) {
  const { session, event, isBesideTerminal = false, isPast = false, onCloseFind = null } = props;
  const { agent, conversation, trouble } = useAgent(session);
  const { parts, isLoaded, driverFault } = conversation.state;
  const [isFull, setFull] = useState(false);
  const [hasPanel, setPanel] = useState(false);
  const [focusCount, setFocusCount] = useState(0);
  const view = useRef<HTMLDivElement>(null);
  const live = parts.at(-1)!.transcript;
  const isEnded = session.state !== 'running';
  const talk = useMemo(() => (session.size === null ? agent : typedTalk(session.id)), [agent, session.size === null]);
  const isWorking = !isEnded && isLoaded && (live.isWorking || session.status.state === 'working');
  const history = useCallback(
    () =>
      parts
        .flatMap(({ transcript }) =>
          transcript.entries.flatMap((entry) => (entry.kind === 'prompt' ? [entry.words] : [])),
        )
        .filter((words, at, all) => words !== '' && words !== all[at - 1])
        .reverse(),
    [parts],
  );
  useEffect(() => {
    if (!isWorking) return undefined;
    const onKey = (key: KeyboardEvent): void => {
      if (key.key !== 'Escape' || key.defaultPrevented || key.isComposing) return;
      if (key.target instanceof HTMLElement && key.target.closest('dialog, .find') !== null) return;
      key.preventDefault();
      void talk.interrupt().catch(() => {}); // the turn has ended
    };
    const element = view.current!;
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [talk, isWorking]);
  return (
    <div className="agent-view" ref={view}>
      <div className="agent-bar quiet">
        <p className="one-line" role="status" data-empty={session.status.activity === null || undefined}>
          <span className="sr-only">{CONDITION_WORDS[conditionOf(session)]}. </span>
          {session.status.activity}
        </p>
        <CopyButton text={() => conversationMarkdown(parts)} label="Copy as Markdown">
          Copy as Markdown
        </CopyButton>
        <button type="button" className="copy-button" aria-expanded={hasPanel} onClick={() => setPanel(!hasPanel)}>
          Overview
        </button>
        <label>
          <input type="checkbox" checked={isFull} onChange={({ target }) => setFull(target.checked)} /> All notices
        </label>
      </div>
      {onCloseFind !== null && <FindCards id={session.id} conversation={conversation} onClose={onCloseFind} />}
      <div className="agent-body">
        <div className="agent-main">
          <ConversationLog
            conversation={conversation}
            name={session.name}
            isFull={isFull}
            target={event ?? null}
            isWire={session.size === null}
            onRetry={isEnded ? null : (prompt) => void talk.prompt(prompt).catch(() => {})}
          />
          {(trouble !== null || driverFault !== null) && (
            <p className="link-notice" role="alert">
              {trouble ?? `The driver failed: ${driverFault}`}
            </p>
          )}
          {isLoaded && isBesideTerminal && !isEnded && isAskedByAgent(session) && (
            <div className="agent-foot">
              <AgentAsks {...{ agent, session }} onAnswered={() => setFocusCount((now) => now + 1)} />
            </div>
          )}
          {isLoaded && !isBesideTerminal && !isPast && (
            <div className="agent-foot">
              {isEnded ? (
                <ResumeBox session={session} />
              ) : (
                <>
                  <AgentAsks {...{ agent, session }} onAnswered={() => setFocusCount((now) => now + 1)} />
                  <PromptBox
                    {...{ talk, isWorking, history, focusCount }}
                    agent={session.size === null ? agent : null}
                    id={session.id}
                    name={session.name}
                    transcript={live}
                  />
                </>
              )}
            </div>
          )}
        </div>
        {hasPanel && (
          <RunPanel
            id={session.id}
            parts={parts}
            hasOlder={conversation.state.hasOlder}
            onClose={() => setPanel(false)}
          />
        )}
      </div>
    </div>
  );
}
