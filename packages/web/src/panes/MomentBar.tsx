/** Shows that the panes show a moment of the past, and leads back to the present. Keeps CARD-12. */
import { Age } from '../shell/Age.tsx';
import { useMoment } from '../time/moment.ts';

export function MomentBar() {
  const { moment, setMoment } = useMoment();
  if (moment === null) return null;
  return (
    <p className="moment-bar" role="status">
      <span>
        Showing the past
        {moment.at !== null && (
          <>
            : <time>{new Date(moment.at).toLocaleTimeString()}</time>, <Age since={moment.at} /> ago
          </>
        )}
      </span>
      <button type="button" className="button" onClick={() => setMoment(null)}>
        Back to live
      </button>
    </p>
  );
}
