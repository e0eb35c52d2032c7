/** Switches notifications on this device on and off. Nothing where the browser cannot have them. */
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { BellIcon } from '../shell/icons.tsx';
import { type PushState, pushState, startPush, stopPush } from './push.ts';

/** `isNamed`: with its word, as in the bar of a phone. */
export function PushButton({ isNamed = false }: { readonly isNamed?: boolean }) {
  const [state, setState] = useState<PushState>('unsupported');
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    pushState().then(setState, () => {}); // without an answer there is no button
  }, []);
  if (state === 'unsupported') return null;
  const toggle = (): void => {
    setTrouble(null);
    (state === 'on' ? stopPush() : startPush()).then(setState, (error: unknown) => setTrouble(sentenceOf(error)));
  };
  return (
    <>
      <button
        type="button"
        className={isNamed ? 'push' : 'icon-button push'}
        aria-pressed={state === 'on'}
        aria-label={state === 'on' ? 'Stop notifications on this device' : 'Notify this device'}
        title={state === 'denied' ? 'This browser does not allow notifications of this page' : undefined}
        onClick={toggle}
      >
        <BellIcon />
        {isNamed && <span aria-hidden="true">{state === 'on' ? 'Notified' : 'Notify'}</span>}
      </button>
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
    </>
  );
}
