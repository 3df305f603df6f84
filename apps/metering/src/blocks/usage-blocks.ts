import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { isStatementTimeout, isWriteConflict, Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { Databases } from '../databases';
import { everybody } from '../ingest/everybody';
import { EventMonths } from '../event-months';
import { blockDays, isFresh } from './cut-into-blocks';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Blocks are made so long after their days, milliseconds. The trigger on `usage_hour` looks at rows that are
 * older than six hours by the same clock: no transaction is open for the time between.
 */
const afterMs = 8 * hourMs;
/** Fewer requests in the days of a block are read as fast from the rows that it would be made of. */
const fewRequests = 500;
/** A turn ends after so long, that the service may stop; stale blocks have half of it. */
const turnMs = 5_000;
/**
 * A block rests stale for so long for each of its days, milliseconds: where late usage goes on and on, one of
 * 64 days is made anew about once an hour, and not in each turn. Its rows are read meanwhile.
 */
const restOfDayMs = 60_000;
/**
 * A block may take so long to be added up when it is tried first, milliseconds, and twice that each time that
 * it is tried again, up to what `Databases` gives it: everybody's of a day with hundreds of thousands of rows
 * takes ten seconds of a core of Postgres, which may have others to serve.
 */
const firstLimitMs = 15_000;
const mostLimitMs = 120_000;
/** A block that was tried so often, and is not made, has a reason that does not go by itself. */
const manyTries = 3;
/** It rests longer after each of so many tries: where all take too long, what is behind them has its turn. */
const mostRests = 10;
/** So many of them are looked for at once. */
const mostAtOnce = 1_000;

/** Whose block: `keyId` empty is all keys of the account. `startMs`: its first day, epoch milliseconds. */
interface Block {
  accountId: string;
  keyId: string;
  days: number;
  startMs: number;
}

/** Makes the sums of blocks of days that have ended, and makes those anew that late usage has changed. */
@Injectable()
export class UsageBlocks implements OnModuleDestroy {
  private isEnding = false;
  /** The process of Postgres that adds a block up. */
  private adding: number | null = null;
  /** Builds of the edition before that took too long to be added to. */
  private readonly unextended = new Set<bigint>();

  constructor(
    private readonly databases: Databases,
    private readonly months: EventMonths,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Optional() private readonly now: () => number = Date.now,
    @Optional() private readonly few: number = fewRequests,
    @Optional() private readonly restMs: number = restOfDayMs,
    @Optional() private readonly limitMs: number = firstLimitMs,
  ) {}

  /** A block that is added up when the service stops is ended, and made by the next. */
  async onModuleDestroy(): Promise<void> {
    this.isEnding = true;
    if (this.adding === null) return;
    // Without Postgres there is nothing to end.
    await this.databases.ingest.$queryRaw`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = ${this.adding}::int AND query ~ '(finish|extend)_usage_block'`.catch(
      () => undefined,
    );
  }

  /**
   * Makes what is stale and what is missing, the shortest before the longer ones, which are made of them, for
   * some seconds. Any number of instances may; what one is killed over is made by the next.
   * Returns whether there may be more to do.
   */
  async run(): Promise<boolean> {
    const endMs = this.now() + turnMs;
    const areFresh = await this.makeAll(await this.stale(), endMs - turnMs / 2);
    for (const days of blockDays.toReversed()) {
      for (let startMs = await this.next(days); startMs !== null; startMs = await this.next(days)) {
        if (!(await this.makeAll(await this.missing(days, startMs), endMs))) return true;
        await this.databases.ingest.$executeRaw`
          INSERT INTO usage_block_made AS made (days, until, accounts_until)
          VALUES (${days}, ${new Date(startMs + days * dayMs)}, ${new Date(startMs + days * dayMs)})
          ON CONFLICT (days) DO UPDATE SET until = greatest(made.until, excluded.until), accounts_until = greatest(made.accounts_until, excluded.accounts_until)`;
      }
      if (!(await this.makeAll(await this.passedOver(days), endMs))) return true;
    }
    if (!(await this.extendAll(endMs))) return true;
    return !areFresh;
  }

  /** Each in a transaction of its own. False: the turn was over before. */
  private async makeAll(blocks: readonly Block[], endMs: number): Promise<boolean> {
    for (const block of blocks) {
      if (this.isEnding) return false;
      await this.make(block);
      if (this.now() >= endMs) return false;
    }
    return true;
  }

  /**
   * It is marked first, and added up in a moment after that, so that late usage waits for none of it. What
   * another makes is left to it. One whose usage is being stored, or that takes too long, is stale with its
   * mark and rests: it must not keep others from being made.
   */
  private async make({ accountId, keyId, days, startMs }: Block): Promise<void> {
    const [started] = await this.databases.ingest.$queryRaw<{ mark: bigint | null }[]>`
      SELECT start_usage_block(${accountId}, ${keyId}, ${days}::int, ${new Date(startMs)}::timestamptz) AS mark`;
    const mark = started?.mark ?? null;
    if (mark === null) return;
    await this.inOneMoment((transaction) => this.addUp(transaction, mark));
  }

  /** False: it took too long. What another changed meanwhile is left to it. */
  private async inOneMoment(add: (transaction: Queries<'metering'>) => Promise<void>): Promise<boolean> {
    try {
      await this.databases.blocks.$transaction(add, { isolationLevel: 'RepeatableRead' });
      return true;
    } catch (error) {
      if (!isStatementTimeout(error) && !isWriteConflict(error)) throw error;
      return isWriteConflict(error);
    } finally {
      this.adding = null;
    }
  }

  /**
   * Adds what they lack to everybody's blocks of the edition before, the newest first. One that takes too
   * long stays as it is, and is tried by the next process: it counts meanwhile. False: the turn was over
   * before.
   */
  private async extendAll(endMs: number): Promise<boolean> {
    const rows = await this.databases.ingest.$queryRaw<{ build: bigint; at: Date }[]>`
      SELECT build, at FROM usage_block WHERE edition = 5 AND key_id = ${everybody} AND days = 16 AND ${isFresh}
        AND at >= ${new Date(this.months.keptSinceMs())}::timestamptz ORDER BY at DESC`;
    for (const { build, at } of rows.filter(({ build }) => !this.unextended.has(build))) {
      if (this.isEnding) return false;
      if (!(await this.inOneMoment((transaction) => this.addTo(transaction, build)))) this.leave(build, at);
      if (this.now() >= endMs) return false;
    }
    return true;
  }

  /** Until the next start. Where the service stops it did not take too long. */
  private leave(build: bigint, at: Date): void {
    this.unextended.add(build);
    if (this.isEnding) return;
    this.logger.warn(
      { firstDay: at.toISOString().slice(0, 10), days: 16 },
      'a block of usage took too long to be added to, and counts as it is; charts of its days are right, but slower, until it is tried again when metering starts',
    );
  }

  private async addTo(transaction: Queries<'metering'>, build: bigint): Promise<void> {
    const [begun] = await transaction.$queryRaw<{ process: number }[]>`SELECT pg_backend_pid() AS process`;
    this.adding = begun?.process ?? null;
    await transaction.$queryRaw`SELECT extend_usage_block(${build}::bigint)`;
  }

  /** The mark says how often it was tried. */
  private async addUp(transaction: Queries<'metering'>, mark: bigint): Promise<void> {
    const [begun] = await transaction.$queryRaw<{ process: number }[]>`
      SELECT pg_backend_pid() AS process, set_config('statement_timeout', (
        SELECT least(${mostLimitMs}::int, ${this.limitMs}::int * 2 ^ least(count(*) - 1, 10))::int::text FROM usage_block_stale
        WHERE making AND build = (SELECT build FROM usage_block_stale WHERE id = ${mark}::bigint)
      ), true) AS limit`;
    this.adding = begun?.process ?? null;
    await transaction.$queryRaw`SELECT finish_usage_block(${mark}::bigint)`;
  }

  /**
   * How many blocks do not count now, and how many of them were tried to no avail so often that one may ask
   * why. The same for all instances.
   */
  async figures(): Promise<{ stale: number; putOff: number }> {
    const [found] = await this.databases.ingest.$queryRaw<{ stale: number; putOff: number }[]>`
      SELECT count(*)::int AS stale, count(*) FILTER (WHERE tries >= ${manyTries})::int AS "putOff" FROM usage_block
      JOIN (SELECT build, count(*) FILTER (WHERE making) AS tries FROM usage_block_stale GROUP BY build) AS stale USING (build)`;
    return found ?? { stale: 0, putOff: 0 };
  }

  /**
   * Those that have rested, and those that older releases made and that lack what is made today, the newest
   * first. Points of single days are made where rows by minute are kept.
   */
  private async stale(): Promise<Block[]> {
    const minutesSince = new Date(this.months.minutesSinceMs());
    const rows = await this.databases.ingest.$queryRaw<(Omit<Block, 'startMs'> & { at: Date })[]>`
      SELECT account_id AS "accountId", key_id AS "keyId", days, at FROM (
        SELECT usage_block.* FROM usage_block
        JOIN (SELECT build, max(since) AS since, count(*) FILTER (WHERE making) AS tries FROM usage_block_stale GROUP BY build) AS stale USING (build)
        WHERE since <= now() - days * least(greatest(tries, 1), ${mostRests}::int) * ${this.restMs}::int * interval '1 millisecond'
        UNION ALL
        (SELECT * FROM usage_block WHERE edition < 2 AND ${isFresh} ORDER BY days, at DESC LIMIT ${mostAtOnce})
        UNION ALL
        (SELECT * FROM usage_block WHERE edition = 2 AND key_id = '' AND ${isFresh}
          AND (days = 16 OR days = 1 AND at >= ${minutesSince}::timestamptz) ORDER BY days, at DESC LIMIT ${mostAtOnce})
        UNION ALL
        (SELECT * FROM usage_block WHERE edition BETWEEN 2 AND 4 AND key_id = ${everybody} AND ${isFresh} ORDER BY days, at DESC LIMIT ${mostAtOnce})
      ) AS block WHERE at >= ${new Date(this.months.keptSinceMs())}::timestamptz
      ORDER BY least(edition, 3) DESC, days, at DESC LIMIT ${mostAtOnce}`;
    return rows.map(({ at, ...block }) => ({ ...block, startMs: at.getTime() }));
  }

  /** The start of the next blocks of this length; null: their days go on, or shorter blocks come first. */
  private async next(days: number): Promise<number | null> {
    const [found] = await this.databases.ingest.$queryRaw<
      { now: Date; until: Date | null; shorter: Date | null; first: Date | null }[]
    >`
      SELECT now(), (SELECT CASE WHEN days > 4 THEN accounts_until ELSE until END FROM usage_block_made WHERE days = ${days}) AS until,
        (SELECT until FROM usage_block_made WHERE days * 4 = ${days}) AS shorter,
        (SELECT min(at) FROM usage_hour WHERE key_id = ${everybody}) AS first`;
    if (!found?.first) return null;
    const lengthMs = days * dayMs;
    const firstMs = found.first.getTime() - (found.first.getTime() % lengthMs);
    const keptMs = Math.ceil(this.months.keptSinceMs() / lengthMs) * lengthMs;
    const startMs = Math.max(found.until?.getTime() ?? 0, firstMs, keptMs);
    const settledMs = Math.min(this.now(), found.now.getTime()) - afterMs;
    return startMs + lengthMs <= (days === 1 ? settledMs : (found.shorter?.getTime() ?? 0)) ? startMs : null;
  }

  /** Whose blocks of these days are still to be made. */
  private async missing(days: number, startMs: number): Promise<Block[]> {
    const [start, end] = [new Date(startMs), new Date(startMs + days * dayMs)];
    const within = Prisma.sql`at >= ${start}::timestamptz AND at < ${end}::timestamptz`;
    const owners = await this.databases.ingest.$queryRaw<Pick<Block, 'accountId' | 'keyId'>[]>`
      SELECT DISTINCT account_id AS "accountId", key_id AS "keyId" FROM (${this.owners(days, within)}) AS owner
      WHERE NOT EXISTS (
        SELECT FROM usage_block AS made WHERE made.account_id = owner.account_id AND made.key_id = owner.key_id
          AND made.days = ${days} AND made.at = ${start}::timestamptz)
      ORDER BY 1, 2`;
    return owners.map((owner) => ({ ...owner, days, startMs }));
  }

  /**
   * Longer blocks of everybody whose days an older release has gone over, which makes none: those that have
   * shorter ones.
   */
  private async passedOver(days: number): Promise<Block[]> {
    const keptSince = new Date(this.months.keptSinceMs());
    const rows = await this.databases.ingest.$queryRaw<{ at: Date }[]>`
      SELECT start.at FROM (
        SELECT DISTINCT to_timestamp(floor(extract(epoch FROM at) / (86400 * ${days}::int))::bigint * 86400 * ${days}::int) AS at
        FROM usage_block WHERE account_id = '' AND key_id = ${everybody} AND days * 4 = ${days}
      ) AS start JOIN usage_block_made AS made ON made.days * 4 = ${days}
        AND start.at + ${days}::int * interval '24 hours' <= made.until AND start.at >= ${keptSince}::timestamptz
      WHERE NOT EXISTS (
        SELECT FROM usage_block AS longer
        WHERE longer.account_id = '' AND longer.key_id = ${everybody} AND longer.days = ${days} AND longer.at = start.at)
      ORDER BY 1 DESC LIMIT ${mostAtOnce}`;
    return rows.map(({ at }) => ({ accountId: '', keyId: everybody, days, startMs: at.getTime() }));
  }

  /**
   * Those with enough usage: of a day accounts and everybody, of four days keys too, of more those that have
   * shorter blocks, and accounts that have enough in all of these days, as everybody's shorter blocks say.
   */
  private owners(days: number, within: Prisma.Sql): Prisma.Sql {
    if (days > 4) {
      const shorter = Prisma.sql`FROM usage_block WHERE days * 4 = ${days} AND ${within}`;
      return Prisma.sql`
        SELECT account_id, key_id ${shorter}
        UNION ALL
        SELECT name, '' FROM usage_block_model_sum
        WHERE build = ANY(ARRAY(SELECT build ${shorter} AND account_id = '' AND key_id = ${everybody})) AND model = '*' AND dimension = 'account' AND name <> ''
        GROUP BY name HAVING sum(requests) >= ${this.few}`;
    }
    const used = Prisma.sql`FROM usage_hour WHERE ${within} AND key_id <> ${everybody} AND account_id <> ''`;
    const enough = Prisma.sql`HAVING sum(requests) >= ${this.few}`;
    const ofAll = Prisma.sql`
      UNION ALL SELECT '', key_id FROM usage_hour WHERE ${within} AND key_id = ${everybody} GROUP BY key_id ${enough}`;
    if (days > 1)
      return Prisma.sql`
        SELECT account_id, coalesce(key_id, '') AS key_id ${used}
        GROUP BY GROUPING SETS ((account_id), (account_id, key_id)) ${enough} ${ofAll}`;
    return Prisma.sql`SELECT account_id, '' AS key_id ${used} GROUP BY account_id ${enough} ${ofAll}`;
  }
}
