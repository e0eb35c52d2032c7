/** The page of an address that leads to no session: it was removed, or never existed here. Keeps PAGE-65. */
import { addressOf } from '../shell/route.ts';

export function UnknownSession({ id }: { readonly id: string }) {
  return (
    <div className="unknown-session">
      <h1>No such session</h1>
      <p>
        There is no session <code>{id}</code> on this machine. It may have been removed, or the address is of another
        machine.
      </p>
      <a className="button primary" href={addressOf({ page: 'home' })}>
        All sessions
      </a>
    </div>
  );
}
