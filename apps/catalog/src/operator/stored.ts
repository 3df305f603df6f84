import { ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';

/** @throws ControlError `unavailable` while the database is away. */
export async function stored<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new ControlError('unavailable', 'The database of the catalog does not answer. Nothing was changed.');
  }
}
