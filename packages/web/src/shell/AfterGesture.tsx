/** Shows a view that starts a program on the machine only after the user has opened it; see `gesture.ts`. */
import { useState } from 'react';
import { openView, useOpened } from './gesture.ts';

/** The delay, longer than a double click, so that its second click does not press a button that the first one has shown. */
const SETTLED_MS = 500;

export function AfterGesture(props: { readonly label: string; readonly children: React.ReactNode }) {
  const [shownAt] = useState(() => performance.now());
  if (useOpened()) return props.children;
  // The button does not get the focus: a key that is held from the page before must not press it.
  return (
    <div className="after-gesture">
      <p>You came here by a link. This view runs git in the folder of the session.</p>
      <button
        type="button"
        className="button primary"
        onClick={() => {
          if (performance.now() - shownAt >= SETTLED_MS) openView();
        }}
      >
        {props.label}
      </button>
    </div>
  );
}
