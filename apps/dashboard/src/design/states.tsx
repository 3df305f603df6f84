import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../api/api-error';
import { Button } from './button';
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

/**
 * What stands below it on a page is out of sight meanwhile, as its content would move it (page.module.css).
 * `inPlace`: its content has as much room already, and moves nothing.
 */
export function Skeleton({ lines = 5, inPlace = false }: { lines?: number; inPlace?: boolean }) {
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading" data-moves={inPlace ? undefined : ''}>
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
  inPlace,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'failureCount'> & { refetch: () => unknown };
  lines?: number;
  inPlace?: boolean;
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
  // What was asked for in vain, and is asked for again, keeps nothing else out of sight.
  return <Skeleton lines={lines} inPlace={inPlace === true || query.failureCount > 0} />;
}
