import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable, type Database, type Queries, isUuid } from '@tollgate/database';
import { createAccountsDatabase } from '@tollgate/database/accounts';
import { AccountsSettings } from './settings';

/** The tables of accounts. */
export type AccountsQueries = Queries<'accounts'>;

/** The database, whose troubles are told in the words of control operations. */
@Injectable()
export class Storage implements OnApplicationShutdown {
  private readonly database: Database<'accounts'>;

  constructor({ databaseUrl, directDatabaseUrl, connectTimeoutMs }: AccountsSettings) {
    this.database = createAccountsDatabase(databaseUrl, { connectTimeoutMs, pooled: directDatabaseUrl !== null });
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.$disconnect();
  }

  /** @throws ControlError `unavailable` when Postgres is away; what `work` throws. */
  async read<Result>(work: (queries: AccountsQueries) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.database);
    } catch (error) {
      throw inWordsOfControl(error);
    }
  }

  /**
   * Runs `work` in one transaction, which an error rolls back.
   * @throws ControlError `unavailable` when Postgres is away; what `work` throws.
   */
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

/** Which page of a list, the newest first: at most `limit` items, older than the one that `after` names. */
export interface PageWish {
  limit: number;
  after?: string | undefined;
}

/**
 * One page of things, the newest first; `next` is the cursor of the page after it, null when there is none.
 */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** What a page asks of the table, in Prisma's words. */
interface PageQuery {
  id: { lt: string } | undefined;
  orderBy: { id: 'desc' };
  take: number;
}

/**
 * Reads one page. Ids are made in the order of time, so the id of a page's last item is the cursor.
 * @throws ControlError `invalid` when `after` is no cursor.
 */
export async function readPage<Item extends { id: string }>(
  { limit, after }: PageWish,
  find: (query: PageQuery) => Promise<Item[]>,
): Promise<Page<Item>> {
  if (after !== undefined && !isUuid(after)) throw new ControlError('invalid', 'after: this is not the end of a page.');
  // One more than asked for tells whether there is a next page.
  const found = await find({
    id: after === undefined ? undefined : { lt: after },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}
