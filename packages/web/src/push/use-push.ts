/** Returns whether this device is notified, and the switch. */
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { type PushState, pushState, startPush, stopPush } from './push.ts';

export interface Push {
  /** The state; null until it is known. */
  readonly state: PushState | null;
  readonly trouble: string | null;
  toggle(): void;
}

export const PUSH_WORDS: Readonly<Record<PushState, string>> = {
  on: 'On: this device is notified when a session waits for you, also while the page is closed.',
  off: 'Off: this device is not notified.',
  denied: 'This browser does not allow notifications of this page. Its own settings can change that.',
  unsupported: 'This browser cannot be notified, or the page did not come over HTTPS (docs/gateway.md).',
};

export function usePush(): Push {
  const [state, setState] = useState<PushState | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    pushState().then(setState, () => setState('unsupported')); // the gateway did not answer, so the switch would be useless
  }, []);
  const toggle = (): void => {
    setTrouble(null);
    (state === 'on' ? stopPush() : startPush()).then(setState, (error: unknown) => setTrouble(sentenceOf(error)));
  };
  return { state, trouble, toggle };
}
