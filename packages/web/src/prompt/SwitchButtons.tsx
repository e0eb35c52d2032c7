/** The model and the mode of the agent, each with a field that changes it. The agent refuses unsupported values with a reason. */
import type { AgentHandle } from '@spool/client';
import { type Transcript, visibleTitle } from '@spool/render';
import { useState } from 'react';

const NAME_CHARACTERS_MAX = 60;

interface SwitchProps {
  readonly agent: AgentHandle;
  readonly transcript: Transcript;
  readonly onTrouble: (error: unknown) => void;
}

export function SwitchButtons({ agent, transcript: { model, mode }, onTrouble }: SwitchProps) {
  const send = (command: Parameters<AgentHandle['command']>[0]): void => void agent.command(command).catch(onTrouble);
  return (
    <>
      <Switch label="Model" value={model} onValue={(next) => send({ do: 'setModel', model: next })} />
      {mode !== undefined && (
        <Switch label="Mode" value={mode} onValue={(next) => send({ do: 'setMode', mode: next })} />
      )}
    </>
  );
}

interface OneSwitchProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onValue: (value: string) => void;
}

function Switch({ label, value, onValue }: OneSwitchProps) {
  const [edited, setEdited] = useState<string | null>(null);
  if (edited === null)
    return (
      <button
        type="button"
        className="button plain switch"
        aria-label={`${label}: ${value ?? 'default'}. Change it`}
        onClick={() => setEdited(value ?? '')}
      >
        {label}
        {value === undefined ? '' : `: ${visibleTitle(value, NAME_CHARACTERS_MAX)}`}
      </button>
    );
  return (
    <input
      autoFocus
      className="switch-field"
      aria-label={label}
      value={edited}
      onChange={({ target }) => setEdited(target.value)}
      onBlur={() => setEdited(null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        const next = edited.trim();
        if (event.key === 'Enter' && next !== '' && next !== value) onValue(next);
        setEdited(null);
      }}
    />
  );
}
