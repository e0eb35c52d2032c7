/** Denies a request with a reason, which the agent gets as the answer. */
import { useState } from 'react';

interface DenyReasonProps {
  readonly isDisabled: boolean;
  readonly onReason: (message: string) => void;
}

export function DenyReason({ isDisabled, onReason }: DenyReasonProps) {
  const [reason, setReason] = useState<string | null>(null);
  if (reason === null)
    return (
      <button
        type="button"
        className="button plain"
        disabled={isDisabled}
        data-key="r"
        aria-keyshortcuts="r"
        onClick={() => setReason('')}
      >
        Give a reason…
      </button>
    );
  return (
    <form
      className="deny-reason"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') onReason(reason.trim());
      }}
    >
      <input
        autoFocus
        aria-label="Reason for the denial"
        placeholder="What should it do instead?"
        value={reason}
        disabled={isDisabled}
        dir="auto"
        onChange={({ target }) => setReason(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          setReason(null);
        }}
      />
      <button type="submit" className="button danger" disabled={isDisabled || reason.trim() === ''}>
        Send the denial
      </button>
    </form>
  );
}
