import { useQuery } from '@tanstack/react-query';
import { endSession, fetchSessions } from '../api/auth';
import type { Session } from '../api/auth';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDate, formatRelative } from '../format/time';
import { deviceOf } from './device-of';
import styles from './settings.module.css';

export function SessionsCard() {
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: fetchSessions });
  return (
    <Card title="Sessions" hint="Where you are signed in.">
      <Loaded query={sessions} lines={3}>
        {({ data }) => (
          <ul className={styles.sessions}>
            {data.map((session) => (
              <SessionRow key={session.id} session={session} onEnded={() => void sessions.refetch()} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function SessionRow({ session, onEnded }: { session: Session; onEnded: () => void }) {
  const device = deviceOf(session.userAgent ?? '');
  const { run, busy, problem } = useAction(async () => {
    await endSession(session.id);
    onEnded();
  });
  return (
    <li>
      <div>
        <div>
          {device} {session.current && <Badge tone="good">this one</Badge>}
        </div>
        <div className="muted small">
          Last seen {formatRelative(session.lastSeenAt)}, ends on {formatDate(session.expiresAt)}
        </div>
        {problem && <Note tone="bad">{problem}</Note>}
      </div>
      {!session.current && (
        <Button size="small" busy={busy} aria-label={`End the session of ${device}`} onClick={() => void run()}>
          End
        </Button>
      )}
    </li>
  );
}
