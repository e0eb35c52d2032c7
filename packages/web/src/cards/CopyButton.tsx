/** A button that copies a text, and confirms it. */
import { useEffect, useState } from 'react';
import { copy } from '../terminal/clipboard.ts';

const TOLD_MS = 1_500;

interface CopyProps {
  readonly text: () => string;
  readonly label: string;
  readonly children?: React.ReactNode;
}

export function CopyButton({ text, label, children = 'Copy' }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), TOLD_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copy(text()).then(() => setCopied(true))}
    >
      {isCopied ? 'Copied' : children}
    </button>
  );
}
