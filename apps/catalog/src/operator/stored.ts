import { ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';

/**
 * A change in the database. An answer that is lost may be that of one that was made.
 * @throws ControlError `unavailable` while the database is away.
 */
export function stored<Result>(change: Promise<Result>): Promise<Result> {
  return orUnavailable(change, ' Look whether it was changed, and try again in a moment.');
}

/**
 * What the database knows.
 * @throws ControlError `unavailable` while it is away.
 */
export function known<Result>(read: Promise<Result>): Promise<Result> {
  return orUnavailable(read, '');
}

async function orUnavailable<Result>(asked: Promise<Result>, advice: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new ControlError('unavailable', `The database of the catalog does not answer.${advice}`);
  }
}
