import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { createStatementPool, DatabasePulse, isDatabaseUnavailable } from '@tollgate/database';
import type { Database, StatementPool } from '@tollgate/database';
import { createMeteringDatabase } from '@tollgate/database/metering';
import { MeteringSettings } from './settings';

/** How many each opens at most. docs/cluster.md tells their sum, for whoever counts those of a server. */
export const mostConnections = { operations: 10, ingest: 3, statements: 2, charts: 5, blocks: 1, recount: 1, pulse: 1 };

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
    const options = (of: keyof typeof mostConnections, times: Partial<typeof operationTimes>) => ({
      ...times,
      connections: mostConnections[of],
      pooled,
    });
    const ofIngest = { statementTimeoutMs: 15_000 };
    this.operations = createMeteringDatabase(databaseUrl, options('operations', operationTimes));
    this.ingest = createMeteringDatabase(databaseUrl, options('ingest', ofIngest));
    this.statements = createStatementPool(databaseUrl, 'metering', options('statements', ofIngest));
    this.charts = createStatementPool(databaseUrl, 'metering', {
      ...options('charts', operationTimes),
      isPlannedOnce: false,
    });
    this.blocks = createMeteringDatabase(databaseUrl, options('blocks', { statementTimeoutMs: 120_000 }));
    this.recount = createMeteringDatabase(databaseUrl, options('recount', { statementTimeoutMs: 600_000 }));
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
