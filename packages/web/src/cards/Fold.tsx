/** A part that opens and closes. It follows `isOpen` until the user decides; then the user's choice stays. */
import { type ReactNode, useState } from 'react';

interface FoldProps {
  readonly isOpen: boolean;
  readonly className: string;
  readonly head: ReactNode;
  readonly children: () => ReactNode;
}

export function Fold({ isOpen, className, head, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? isOpen;
  return (
    <details className={className} open={open}>
      <summary
        onClick={(event) => {
          event.preventDefault();
          setChosen(!open);
        }}
      >
        {head}
      </summary>
      {open && <div className="fold-body">{children()}</div>}
    </details>
  );
}
