/** Starts a session by a form: opens the session, or shows the reason why it was not started. */
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { go } from '../shell/route.ts';

interface StartState {
  readonly trouble: string | null;
  readonly isStarting: boolean;
  readonly onSubmit: (event: FormEvent) => void;
}

export function useStart(
  start: () => Promise<{ readonly id: string }>,
  reasonOf: (error: unknown) => string = sentenceOf,
): StartState {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isStarting, setStarting] = useState(false);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setTrouble(null);
    setStarting(true);
    start()
      .then(
        ({ id }) => go({ page: 'session', id, view: 'terminal' }),
        (error: unknown) => setTrouble(reasonOf(error)),
      )
      .finally(() => setStarting(false));
  };
  return { trouble, isStarting, onSubmit };
}
