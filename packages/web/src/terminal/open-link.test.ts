/** Tests links of a terminal. */
import { afterEach, expect, test, vi } from 'vitest';
import { openLink } from './open-link.ts';

afterEach(() => void vi.unstubAllGlobals());

test('[PAGE-11] a page that is opened from a terminal cannot steer this one, and only web addresses are opened', () => {
  const open = vi.fn<(...args: unknown[]) => void>();
  vi.stubGlobal('window', { open });
  openLink({ type: 'url', start: 0, end: 0, url: 'https://example.com/a' }, 's');
  expect(open).toHaveBeenCalledExactlyOnceWith('https://example.com/a', '_blank', 'noopener,noreferrer');
  openLink({ type: 'url', start: 0, end: 0, url: 'javascript:alert(1)' }, 's');
  expect(open).toHaveBeenCalledTimes(1);
});
