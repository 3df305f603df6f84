import type { Database, Queries } from '@tollgate/database';

/** Runs `work` in a transaction in which every statement sees the same moment. */
export function ofOneMoment<Result>(
  database: Database<'metering'>,
  work: (queries: Queries<'metering'>) => Promise<Result>,
): Promise<Result> {
  return database.$transaction(work, { isolationLevel: 'RepeatableRead' });
}
