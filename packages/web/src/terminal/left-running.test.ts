import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LeftRunning } from './LeftRunning.tsx';

test('[RUN-26] the page names what the end of a session has left running', () => {
  const shown = (session: Parameters<typeof LeftRunning>[0]['session']): string =>
    renderToStaticMarkup(createElement(LeftRunning, { session }));
  expect(shown({})).toBe('');
  expect(shown({ leftRunning: [{ pid: 7, program: 'x', service: "Claude's background service" }] })).toMatch(
    /role="status".*left running: Claude&#x27;s background service \(pid 7\)/,
  );
});
