/** Switches notifications on this device on and off. It is empty if the browser does not support them. */
import { BellIcon } from '../shell/icons.tsx';
import { usePush } from './use-push.ts';

/** `isNamed`: with its text, as in the bar of a phone. */
export function PushButton({ isNamed = false }: { readonly isNamed?: boolean }) {
  const { state, trouble, toggle } = usePush();
  if (state === null || state === 'unsupported') return null;
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
