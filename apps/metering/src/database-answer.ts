import { ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';

/** Runs an operation's work. @throws ControlError `unavailable` when Postgres is away; what `work` throws. */
export async function databaseAnswer<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new ControlError(
      'unavailable',
      'The database of metering does not answer. No usage is lost; try again in a moment.',
    );
  }
}
