/** A link to a dev server that has printed its address, if it is a web address. */
import { WebIcon } from './icons.tsx';

export function WebLink({ url, className }: { readonly url: string; readonly className: string }) {
  if (!/^https?:\/\//.test(url)) return null;
  const shown = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return (
    <a className={className} href={url} target="_blank" rel="noopener noreferrer">
      <WebIcon />
      <span className="mono one-line">{shown}</span>
    </a>
  );
}
