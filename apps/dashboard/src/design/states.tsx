import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../api/api-error';
import { Button } from './button';
import { classes } from './classes';
import { Icon } from './icon';
import type { IconName } from './icon';
import styles from './states.module.css';

/** Nothing is here yet: says why, and what to do. */
export function Empty({
  icon = 'inbox',
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={styles.empty}>
      <span className={styles.picture}>
        <Icon name={icon} size={20} />
      </span>
      <div>
        <div className={styles.title}>{title}</div>
        {children && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}

export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div role="alert">
      <Empty
        icon="alert"
        title="This could not be loaded"
        action={
          onRetry && (
            <Button icon="refresh" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        {messageOf(error)}
      </Empty>
    </div>
  );
}

/** `fills`: it keeps what stands below it out of sight, where nobody knows how high its content will be. */
export function Skeleton({ lines = 5, fills = false }: { lines?: number; fills?: boolean }) {
  return (
    <div className={classes(styles.skeleton, fills && styles.fills)} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={styles.bar} />
      ))}
    </div>
  );
}

/**
 * Shows a query's answer, or that it is on its way, or what went wrong. An older answer stays while a newer
 * one is fetched, and says so when that fails.
 */
export function Loaded<T>({
  query,
  lines,
  fills,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error'> & { refetch: () => unknown };
  lines?: number;
  fills?: boolean;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined)
    return (
      <>
        {query.error && (
          <p className={styles.stale} role="status">
            Not up to date: {messageOf(query.error)}
          </p>
        )}
        {children(query.data)}
      </>
    );
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} fills={fills} />;
}
