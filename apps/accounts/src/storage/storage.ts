import { ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable, type Database, type Queries } from '@tollgate/database';

/** The tables of accounts. */
export type AccountsQueries = Queries<'accounts'>;

/** The database, whose troubles are told in the words of control operations. */
export class Storage {
  constructor(private readonly database: Database<'accounts'>) {}

  /** @throws ControlError `unavailable` when Postgres is away; what `work` throws. */
  async read<Result>(work: (queries: AccountsQueries) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.database);
    } catch (error) {
      throw inWordsOfControl(error);
    }
  }

  /** Runs `work` in one transaction, which an error rolls back. @throws ControlError `unavailable` when Postgres is away; what `work` throws. */
  async transaction<Result>(work: (queries: AccountsQueries) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.$transaction(work);
    } catch (error) {
      throw inWordsOfControl(error);
    }
  }

  /** Whether Postgres answers now. */
  async answers(): Promise<boolean> {
    try {
      await this.database.keyRevision.count();
      return true;
    } catch {
      return false;
    }
  }
}

function inWordsOfControl(error: unknown): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  return new ControlError(
    'unavailable',
    'The database of accounts does not answer. Nothing was changed; try again in a moment.',
  );
}
