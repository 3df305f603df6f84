import { createStatementPool, DatabasePulse, toPriceColumns } from '@tollgate/database';
import { createAccountsDatabase } from '@tollgate/database/accounts';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { createMeteringDatabase } from '@tollgate/database/metering';
import type { Database } from '@tollgate/database';
import { copyDatabase, startMigratedPostgres } from '@tollgate/database/testing';
import { priceSheet } from '@tollgate/contracts/catalog';
import { patience } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { Registry } from 'prom-client';
import type { z } from 'zod';
import type { Databases } from '../databases';
import { UsageIngest } from '../ingest/usage-ingest';
import { MeteringMetrics } from '../metering-metrics';
import { MeteringSettings } from '../settings';
import { EventMonths } from '../event-months';

/** A busy machine is not one whose Postgres is away. */
const times = { connectTimeoutMs: 2_000 * patience, statementTimeoutMs: 5_000 * patience };

/**
 * A database of a test's own, migrated, with a price for `test/priced` ($1 a million tokens in, $2 out) since
 * 2020.
 */
export interface MeteringDatabase {
  /** The server that it is in. */
  postgres: PostgresServer;
  url: string;
  database: Database<'metering'>;
  /** The same, as classes ask for it. */
  databases: Databases;
  /** One that works as an instance of metering has it; null: everything is kept. */
  newIngest: (retentionMonths?: number | null, now?: () => number, registry?: Registry) => UsageIngest;
  /** For prices, which catalog owns. */
  catalog: Database<'catalog'>;
  /** For accounts and budgets, which accounts owns. */
  accounts: Database<'accounts'>;
  /** Ends all connections to it, and returns its server, where `copyOf` makes copies of it. */
  leave: () => Promise<PostgresServer>;
  /** The end of it, and of its server where that is its own. */
  stop: () => Promise<void>;
}

export async function startMeteringDatabase(): Promise<MeteringDatabase> {
  const postgres = await startMigratedPostgres();
  const env = connectTo(postgres, postgres.url, () => postgres.stop());
  await addPrice(env.catalog, 'test/priced', { input: '1', output: '2' });
  await new EventMonths(env.databases, { retentionMonths: null }).maintain();
  return env;
}

/** A copy of a database that was left, in its server: for tests one after the other, each with its own. */
export async function copyOf(left: PostgresServer): Promise<MeteringDatabase> {
  const { url, drop } = await copyDatabase(left);
  return connectTo(left, url, drop);
}

function connectTo(postgres: PostgresServer, url: string, drop: () => Promise<void>): MeteringDatabase {
  const database = createMeteringDatabase(url, times);
  const catalog = createCatalogDatabase(url, times);
  const accounts = createAccountsDatabase(url, times);
  const statements = createStatementPool(url, 'metering', times);
  const charts = createStatementPool(url, 'metering', { ...times, isPlannedOnce: false });
  const pulse = new DatabasePulse(url, 'test', times.connectTimeoutMs);
  const databases: Databases = {
    operations: database,
    ingest: database,
    blocks: database,
    recount: database,
    statements,
    charts,
    pulse,
    answers: () => pulse.answers(),
    onApplicationShutdown: () => database.$disconnect(),
  };
  const newIngest: MeteringDatabase['newIngest'] = (
    retentionMonths = null,
    now = Date.now,
    registry = new Registry(),
  ) => new UsageIngest(databases, new EventMonths(databases, { retentionMonths }, now), new MeteringMetrics(registry));
  const leave = async () => {
    await database.$disconnect();
    await Promise.all([statements.end(), charts.end()]);
    await catalog.$disconnect();
    await accounts.$disconnect();
    return postgres;
  };
  const stop = async () => {
    await leave();
    await drop();
  };
  return { postgres, url, database, databases, newIngest, catalog, accounts, leave, stop };
}

/** Writes a price as catalog does. Returns its row's id. */
export async function addPrice(
  catalog: Database<'catalog'>,
  model: string,
  sheet: z.input<typeof priceSheet>,
  validFrom = new Date(Date.UTC(2020, 0)),
  validTo: Date | null = null,
): Promise<string> {
  const columns = toPriceColumns(priceSheet.parse(sheet));
  const { id } = await catalog.price.create({ data: { model, ...columns, validFrom, validTo, source: 'test' } });
  return id;
}

/** The settings of an instance, of which these variables are set. */
export function settingsWith(variables: NodeJS.ProcessEnv): MeteringSettings {
  return new MeteringSettings({ NATS_URL: 'nats://test', DATABASE_URL: 'postgresql://test', ...variables });
}
