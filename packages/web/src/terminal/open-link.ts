/** Opens a link of a terminal: a file in the page, an address in a tab that has no reference to this one. Keeps PAGE-11. */
import { go } from '../shell/route.ts';
import { type FoundLink, webAddress } from './links.ts';

export function openLink(link: FoundLink, id: string): void {
  if (link.type === 'file')
    return go({
      page: 'session',
      id,
      view: 'files',
      path: link.path,
      ...(link.line !== undefined && { line: link.line }),
    });
  const address = webAddress(link.url);
  if (address !== null) window.open(address, '_blank', 'noopener,noreferrer');
}
