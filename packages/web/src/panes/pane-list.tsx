/** The panes of a session: which of them it has, and their names. */
import type { SessionInfo } from '@spool/client';
import { isHeadless } from '@spool/protocol';
import {
  CardsIcon,
  ClockIcon,
  DiffIcon,
  FolderIcon,
  PipeIcon,
  SummaryIcon,
  TerminalIcon,
  TextIcon,
} from '../shell/icons.tsx';
import type { SessionViewName } from '../shell/route.ts';

export type Pane = readonly [name: SessionViewName, label: string, icon: React.ReactNode];

const PANES: readonly Pane[] = [
  ['terminal', 'Terminal', <TerminalIcon key="terminal" />],
  ['cards', 'Cards', <CardsIcon key="cards" />],
  ['wire', 'Wire', <PipeIcon key="wire" />],
  ['time', 'Past', <ClockIcon key="past" />],
  ['text', 'Text', <TextIcon key="text" />],
  ['files', 'Files', <FolderIcon key="files" />],
  ['changes', 'Changes', <DiffIcon key="changes" />],
  ['summary', 'Summary', <SummaryIcon key="summary" />],
];

/** The programs that are agents: users look for their cards, or for the reason why they have none. */
const AGENT_PROGRAM = /(?:^|\/)(?:claude|codex|gemini|grok|opencode|qwen)$/;

/** An agent without a terminal has no screens, and a terminal without an agent has no cards. */
export function panesOf(session: SessionInfo | undefined): readonly Pane[] {
  if (session === undefined) return PANES.filter(([name]) => name === 'terminal');
  const isAgent = session.driver !== undefined || AGENT_PROGRAM.test(session.command[0] ?? '');
  return PANES.filter(([name]) => {
    if (name === 'terminal') return session.size !== null;
    if (name === 'text') return !isHeadless(session);
    if (name === 'cards') return isAgent;
    return name !== 'wire' || session.driver !== undefined;
  });
}

/** Returns the pane of an address. Without a terminal, an agent begins with its cards, and a command with its text. */
export function paneOf(session: SessionInfo | undefined, view: SessionViewName): SessionViewName {
  if (session === undefined || session.size !== null) return view;
  if (!isHeadless(session)) return view === 'terminal' ? 'text' : view;
  return view === 'terminal' || view === 'text' || view === 'time' ? 'cards' : view;
}
