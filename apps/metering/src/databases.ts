import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { createStatementPool, DatabasePulse, isDatabaseUnavailable } from '@tollgate/database';
import type { Database, StatementPool } from '@tollgate/database';
import { createMeteringDatabase } from '@tollgate/database/metering';
import { MeteringSettings } from './settings';

/** Connections to Postgres, by how long their statements may take. */
@Injectable()
export class Databases implements OnApplicationShutdown {
  readonly operations: Database<'metering'>;
  /** What is done to thousands of rows may take its time. */
  readonly ingest: Database<'metering'>;
  /** The same, for usage that is stored: it is where a batch costs its statements. */
  readonly statements: StatementPool;
  /** What operations ask that reads thousands of rows, each time with other plans. */
  readonly charts: StatementPool;
  /** One connection, for blocks of days, of which some take long to be added up. */
  readonly blocks: Database<'metering'>;
  /** One connection, with time for a query over all events. */
  readonly recount: Database<'metering'>;
  /** One connection that nothing else uses. */
  readonly pulse: DatabasePulse;

  constructor({ databaseUrl, directDatabaseUrl, operationTimes }: MeteringSettings) {
    const pooled = directDatabaseUrl !== null;
    this.operations = createMeteringDatabase(databaseUrl, { ...operationTimes, pooled });
    this.ingest = createMeteringDatabase(databaseUrl, { connections: 3, statementTimeoutMs: 15_000, pooled });
    this.statements = createStatementPool(databaseUrl, 'metering', {
      connections: 2,
      statementTimeoutMs: 15_000,
      pooled,
    });
    this.charts = createStatementPool(databaseUrl, 'metering', {
      ...operationTimes,
      connections: 5,
      isPlannedOnce: false,
      pooled,
    });
    this.blocks = createMeteringDatabase(databaseUrl, { connections: 1, statementTimeoutMs: 120_000, pooled });
    this.recount = createMeteringDatabase(databaseUrl, { connections: 1, statementTimeoutMs: 600_000, pooled });
    this.pulse = new DatabasePulse(databaseUrl, 'tollgate-metering', operationTimes.connectTimeoutMs);
  }

  /** Whether Postgres answers now, however busy the connections of operations are. */
  answers(): Promise<boolean> {
    return this.pulse.answers();
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [this.operations, this.ingest, this.blocks, this.recount];
    const own = [this.pulse.end(), this.statements.end(), this.charts.end()];
    const ends = await Promise.allSettled([...own, ...all.map((database) => database.$disconnect())]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

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
