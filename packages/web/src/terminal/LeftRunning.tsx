/** Names the processes that still run after the end of a session, because other sessions use them too. Helps to keep RUN-26. */
import { leftSentences, type SessionInfo } from '@spool/protocol';

export function LeftRunning({ session }: { readonly session: Pick<SessionInfo, 'leftRunning'> }) {
  return leftSentences(session.leftRunning).map((sentence) => (
    <p className="link-notice" role="status" key={sentence}>
      {sentence}
    </p>
  ));
}
