import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { loggedContent, loggedContentFacts } from '@tollgate/contracts/metering';
import type { LoggedContent, LoggedContentFacts, NewLoggedContent } from '@tollgate/contracts/metering';
import { isUuid } from '@tollgate/database';
import type { Database } from '@tollgate/database';
import { Databases } from '../databases';

const dayMs = 86_400_000;
/** Rows that are removed at once: each may be half a megabyte. */
const batchRows = 200;
/** A reply is waited for some seconds only: what is left then is removed when it is asked for again. */
const batchesPerRequest = 10;

type Rows = Awaited<ReturnType<Database<'metering'>['contentLog']['findFirst']>>;
type Row = NonNullable<Rows>;

/** What somebody may get at: the rows of an account, or (absent) of all. */
interface Reach {
  accountId?: string | undefined;
}

/** Requests and answers as they were logged, until they expire. */
@Injectable()
export class ContentLog {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** Keeps entries for as many days as each says, from now on. One that is there already stays as it is. */
  async record(entries: readonly NewLoggedContent[]): Promise<void> {
    const data = entries.map(({ retentionDays, startedAt, endedAt, ...entry }) => ({
      ...entry,
      startedAt: new Date(startedAt),
      endedAt: new Date(endedAt),
      expiresAt: new Date(this.now() + retentionDays * dayMs),
    }));
    await this.databases.operations.contentLog.createMany({ data, skipDuplicates: true });
  }

  /** By the id of the event, else the newest with the request id. @throws ControlError `not_found`. */
  async find(id: string, reach: Reach): Promise<LoggedContentFacts> {
    const row = (isUuid(id) ? await this.row({ id }, reach) : null) ?? (await this.row({ requestId: id }, reach));
    if (!row) throw notFound(id);
    return loggedContentFacts.parse(told(row));
  }

  /** @throws ControlError `not_found`. */
  async read(id: string, reach: Reach): Promise<LoggedContent> {
    const row = await this.row({ id }, reach);
    if (!row) throw notFound(id);
    return loggedContent.parse(told(row));
  }

  /** @throws ControlError `not_found`. */
  async remove(id: string, { accountId }: Reach): Promise<void> {
    const { count } = await this.databases.operations.contentLog.deleteMany({ where: { id, ...ofAccount(accountId) } });
    if (count === 0) throw notFound(id);
  }

  /** Removes rows of a key, as many as an answer can wait for. */
  async removeOfKey(keyId: string, { accountId }: Reach): Promise<{ removed: number; isDone: boolean }> {
    let removed = 0;
    for (let batch = 0; batch < batchesPerRequest; batch++) {
      const count = await this.databases.operations.$executeRaw`
        DELETE FROM content_log WHERE id IN (
          SELECT id FROM content_log
          WHERE key_id = ${keyId} AND (${accountId ?? null}::text IS NULL OR account_id = ${accountId ?? null})
          LIMIT ${batchRows}
        )`;
      removed += count;
      if (count < batchRows) return { removed, isDone: true };
    }
    return { removed, isDone: false };
  }

  /**
   * Removes what has expired, a batch at a time. Several instances share the work. Returns how many rows
   * went.
   */
  async sweep(): Promise<number> {
    let removed = 0;
    for (;;) {
      const count = await this.databases.ingest.$executeRaw`
        DELETE FROM content_log WHERE id IN (
          SELECT id FROM content_log WHERE expires_at <= ${new Date(this.now())}
          ORDER BY expires_at LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
        )`;
      removed += count;
      if (count < batchRows) return removed;
    }
  }

  private row(which: { id: string } | { requestId: string }, { accountId }: Reach): Promise<Rows> {
    return this.databases.operations.contentLog.findFirst({
      where: { ...which, ...ofAccount(accountId), expiresAt: { gt: new Date(this.now()) } },
      orderBy: { endedAt: 'desc' },
    });
  }
}

function ofAccount(accountId: string | undefined): { accountId?: string } {
  return accountId === undefined ? {} : { accountId };
}

function told({ startedAt, endedAt, expiresAt, ...row }: Row) {
  return {
    ...row,
    startedAt: startedAt.getTime(),
    endedAt: endedAt.getTime(),
    expiresAt: expiresAt.getTime(),
  };
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `Nothing of the request ${id} is kept: it was not logged, or it has expired.`);
}
