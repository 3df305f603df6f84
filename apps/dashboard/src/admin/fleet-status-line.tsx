import { useQuery } from '@tanstack/react-query';
import { releasesOf } from '@tollgate/contracts';
import { fetchInstances, fetchStatus } from '../api/admin';
import { Badge } from '../design/badge';
import { formatCount } from '../format/number';
import styles from './admin.module.css';

/** The state of the machinery, in a line. Empty where it cannot be had: the pages work without it. */
export function FleetStatusLine() {
  const { data } = useQuery({ queryKey: ['admin', 'status'], queryFn: fetchStatus, refetchInterval: 5_000 });
  const running = useQuery({ queryKey: ['admin', 'instances'], queryFn: fetchInstances, refetchInterval: 30_000 });
  if (!data || running.isLoading) return <span className={styles.statusLine} />;
  const releases = releasesOf(running.data?.data ?? []);
  return (
    <span className={styles.statusLine}>
      <Badge tone={data.inferenceInstances > 0 ? 'good' : 'bad'}>
        {formatCount(data.inferenceInstances)} inference {data.inferenceInstances === 1 ? 'instance' : 'instances'}
      </Badge>
      <Badge tone={data.pendingEvents > 10_000 ? 'warn' : 'plain'}>
        {formatCount(data.pendingEvents)} {data.pendingEvents === 1 ? 'event waits' : 'events wait'}
      </Badge>
      <Badge tone={data.deadLetters > 0 ? 'bad' : 'plain'}>
        {formatCount(data.deadLetters)} {data.deadLetters === 1 ? 'dead letter' : 'dead letters'}
      </Badge>
      {releases.length > 0 && (
        <Badge tone={releases.length > 1 ? 'warn' : 'plain'}>
          {releases.length > 1 ? 'Releases' : 'Release'} {releases.join(', ')}
        </Badge>
      )}
    </span>
  );
}
